"""Decisions that were kept, each with the log that it followed from: whatever is rebuilt, they stay the same."""
