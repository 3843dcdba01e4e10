"""Simulators written by hand from the descriptions of the built-in tasks, with best policies.

Cart-pole and mountain-car are Gymnasium's own: their descriptions ask for them, and tell of nothing
that differs from them.
"""
