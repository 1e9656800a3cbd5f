"""Random samples in files: drawing, reading the answers, certifying."""
