"""The tests of Belated, importable as `tests` so that they can share references and tolerances."""
