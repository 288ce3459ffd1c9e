"""Tests of kgqa_core.render."""
