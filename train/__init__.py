"""Trainers on TRL."""
