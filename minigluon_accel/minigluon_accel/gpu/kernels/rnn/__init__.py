"""The fused recurrent network."""
