"""Tests, by the rooms of kgqa_core; what several of them share stands here."""
