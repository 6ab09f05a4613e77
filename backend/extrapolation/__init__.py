"""Extrapolation: from the Boolean program of an SC proof to one for TSO or PSO."""
