"""Slow, plain computations straight from the formulas; they share no code with the library."""
