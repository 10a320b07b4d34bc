"""Runs in real processes: on every executor and storage, interrupted, killed, and out of workers."""
