"""How good a ranking is: one value per list, NaN where a list cannot say."""
