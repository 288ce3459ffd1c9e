"""Servers on loopback that tests meet: real ones, and our own that misbehave on demand."""
