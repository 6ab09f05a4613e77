"""Decides Boolean programs: the engines, and what they have in common."""
