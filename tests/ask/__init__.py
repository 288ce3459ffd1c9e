"""Tests of kgqa_core.ask."""
