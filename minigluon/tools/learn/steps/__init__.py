"""The steps of the course, one folder each."""
