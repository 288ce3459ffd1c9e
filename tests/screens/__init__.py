"""Tests of kgqa_core.screens."""
