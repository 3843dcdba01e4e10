"""The shared typed state and the pieces it carries."""
