"""Hyperparameters from answers: the most likely ones, or draws from their posterior."""
