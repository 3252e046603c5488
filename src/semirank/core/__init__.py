"""Compiled loops on plain arrays: arrays in, arrays out, no checks, no messages."""
