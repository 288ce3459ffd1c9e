"""Benchmarks: question sets, metrics, uncertainty, and the runner that ties them together."""
