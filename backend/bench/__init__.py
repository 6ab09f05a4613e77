"""Benchmarks: figures that are quoted come from here (`ebb bench …`), never from a timed test."""
