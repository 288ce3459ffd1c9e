"""Tests of kgqa_core.history."""
