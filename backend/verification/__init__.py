"""The whole way from a program to a verdict."""
