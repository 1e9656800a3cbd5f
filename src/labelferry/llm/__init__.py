"""Guesses of a large language model: asked through any server that speaks the protocol of OpenAI."""
