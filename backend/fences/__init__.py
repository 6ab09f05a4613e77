"""Which fences and flushes a program needs."""
