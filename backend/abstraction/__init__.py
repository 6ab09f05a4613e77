"""Predicate abstraction: IR and predicates to a Boolean program."""
