"""Rankers: labels and features in, one score per item out."""
