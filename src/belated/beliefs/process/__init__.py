"""The exact Gaussian process: its factor, its moments at points and on a table, and functions drawn from it."""
