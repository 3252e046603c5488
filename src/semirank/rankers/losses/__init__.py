"""What scores cost: losses of pairs (exponential, squared hinge, squared, pseudo margin), and list metrics."""
