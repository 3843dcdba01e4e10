"""What a finished run shows: pictures, the specification as text, one page with all of it."""
