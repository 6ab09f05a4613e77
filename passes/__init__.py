"""IR to IR, predicates to predicates."""
