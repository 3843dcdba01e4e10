"""What runs inside the sandbox: checks, evaluation, and what they are asked."""
