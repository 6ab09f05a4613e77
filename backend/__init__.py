"""What is made of IR: concrete outcomes, source text, pictures."""
