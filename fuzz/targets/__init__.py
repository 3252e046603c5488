"""One file a target: seeds, and what must hold for any bytes."""
