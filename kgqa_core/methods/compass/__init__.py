"""Compass: what the model believes points the way, the graph decides; one plan, one call."""
