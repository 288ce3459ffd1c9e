"""Tests of kgqa_core.kg."""
