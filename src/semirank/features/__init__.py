"""Features made from what an item is: text, kernels, projections."""
