"""The routes under /v1, one file for each kind of thing that a caller does."""
