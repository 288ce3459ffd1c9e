"""Tests of kgqa_core.search."""
