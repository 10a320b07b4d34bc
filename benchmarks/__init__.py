"""Figures, as ratios measured in one run: this library against its peers and against plain NumPy."""
