"""Checks on the specification, before any code is made from it."""
