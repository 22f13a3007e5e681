"""The report of a run: figures, tables and a transcript browser in one HTML file."""

from debate_gym.eval.report.page import Report, build

__all__ = ["Report", "build"]
