"""The parts of docs/build_site.py."""
