"""What is done to the pixels of images, on NumPy arrays (H, W, C) or batches (N, H, W, C) of them."""
