"""Copies to other places: transpose, concat, slice, pad, tile and their kin."""
