"""The concrete memory models: the oracle for everything else."""
