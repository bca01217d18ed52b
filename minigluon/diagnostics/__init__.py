"""What a person is told: refusals, suggestions, source lines, tracebacks, strictness."""
