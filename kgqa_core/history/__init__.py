"""Runs that go on or are over: kept, forked, exchanged, compared."""
