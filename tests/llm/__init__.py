"""Tests of kgqa_core.llm."""
