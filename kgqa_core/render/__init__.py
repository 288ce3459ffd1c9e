"""What a run looks like: pure folds over its events, and the ways they are shown."""
