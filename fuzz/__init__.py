"""Fuzzing: see README.md."""
