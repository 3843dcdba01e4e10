"""Wrong environments and wrong specifications of the built-in tasks, and which check finds each.

    python -m benchmarks.mutants

A wrong environment stands beside the right specification; a wrong specification stands beside the
description that it was to follow, with the environment that the compiler makes of it.
"""
