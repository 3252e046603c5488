"""Shows results and computes none: tables and pictures."""
