"""Rankers made of rankers. A file is a ranker."""
