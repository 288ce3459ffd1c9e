"""Tests of kgqa_core.reader."""
