"""Checkers by other people: the programs that they read, and how to run them."""
