"""Arrays of one value, copies, and conversions between types."""
