"""AutoRanker: what it tries, how it holds labels out, and the gate that unlabelled data must pass."""
