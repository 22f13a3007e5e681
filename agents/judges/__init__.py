"""Judges that run a model."""
