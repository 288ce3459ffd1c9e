"""Tests of kgqa_core.shell."""
