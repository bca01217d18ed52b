"""Operations on the pixels of images, as NumPy arrays (H, W, C) or batches of them (N, H, W, C)."""
