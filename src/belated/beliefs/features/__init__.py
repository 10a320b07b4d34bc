"""Gaussian processes approximated by random features, whose cost does not grow with the answers."""
