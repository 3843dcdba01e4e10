"""The generated environment for many episodes at once."""
