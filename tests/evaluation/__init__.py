"""Tests of kgqa_core.evaluation."""
