"""Belated inside other tools, one package for each; whatever it needs is imported by that package alone."""
