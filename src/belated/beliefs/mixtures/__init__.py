"""Beliefs that are several Gaussian beliefs at once, weighted."""
