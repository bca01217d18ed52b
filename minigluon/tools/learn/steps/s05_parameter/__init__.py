"""Step 5: Parameter, and deferred initialization."""
