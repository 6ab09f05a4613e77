"""Boolean programs as communicating automata: one for each thread, over shared bits. What every engine works on."""
