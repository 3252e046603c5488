"""A comparison from start to end: cells are fitted in processes, and become standings, curves and words."""
