"""What error correction needs beside its nodes: items to score, rules that doubt, readings."""
