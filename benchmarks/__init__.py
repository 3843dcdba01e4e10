"""Built-in tasks and what is measured on them."""
