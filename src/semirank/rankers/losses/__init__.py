"""What scores cost: losses of pairs (exponential, hinge, squared, pseudo margin), and list metrics."""
