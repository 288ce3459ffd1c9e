"""By meaning: the encoder, the vector index, and the texts that go into it."""
