"""Tests of kgqa_core.facts."""
