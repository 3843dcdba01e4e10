"""Programs that run inside the sandbox, beside the code that is repaired."""
