"""Diagnostics for people: refusals, suggestions, source lines, tracebacks, strictness."""
