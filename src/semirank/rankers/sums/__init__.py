"""Rankers that learn from sums over parts: what a part returns, how it is joined, what follows."""
