"""The order of events: the graph, its routes, its checkpoints, and the command line."""
