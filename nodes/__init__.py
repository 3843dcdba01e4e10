"""The agents and stations of the graph, one a file."""
