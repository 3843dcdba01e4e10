"""From the typed specification to Python: everything that an expression can say."""
