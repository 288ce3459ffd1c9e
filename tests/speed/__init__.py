"""Measurements that `make speed` prints; they fail when a promise is broken."""
