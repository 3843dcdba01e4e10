"""Chat models: providers, structured calls, local weights, recordings."""
