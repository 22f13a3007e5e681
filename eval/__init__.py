"""Metrics, the store of episodes, and what people look at."""
