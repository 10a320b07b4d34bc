"""Prior covariances of f: the shapes they may take, and their hyperparameters."""
