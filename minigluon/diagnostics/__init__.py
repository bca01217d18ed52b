"""Diagnostics for users: errors for unsupported names, suggestions, source lines, tracebacks, strictness."""
