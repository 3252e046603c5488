"""Rankers: labels and features in, one score per item out.

A file is a ranker; `pairs`, `losses` and `solvers` are what several of them share.
"""
