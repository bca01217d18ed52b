"""Diagnostics for people: errors for unsupported names, suggestions, source lines, tracebacks, strictness."""
