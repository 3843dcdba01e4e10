"""Descriptions with one planted flaw each, clean ones beside them, and who notices which."""
