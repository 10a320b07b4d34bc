"""Warnings that help: when they are said, when not, once each, and everywhere that they are shown."""
