"""Pixel operations on images, which are NumPy arrays (H, W, C) or batches (N, H, W, C)."""
