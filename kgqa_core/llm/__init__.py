"""Language models: the built-in reader and any OpenAI-compatible endpoint."""
