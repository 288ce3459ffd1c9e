"""Tests of kgqa_core.methods."""
