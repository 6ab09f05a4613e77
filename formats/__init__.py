"""The files between the stages, and what all executables share."""
