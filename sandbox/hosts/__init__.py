"""Programs in which generated code runs, each in a sandbox of its own.

They answer the programs that judge it (``sandbox.programs``) over a socket, with plain data.
"""
