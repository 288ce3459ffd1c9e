"""Question answering over knowledge graphs, as typed streams of events."""

__version__ = "0.1.0"
