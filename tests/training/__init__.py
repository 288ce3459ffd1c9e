"""What the reader's ranker learns from, and how: `make train`."""
