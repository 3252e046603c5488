"""What a comparison has found, as plain values that can be saved, loaded and shown."""
