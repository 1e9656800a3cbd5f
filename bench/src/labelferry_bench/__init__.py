"""The benches of labelferry: the papers' tables, trust, review and speed, and the corpora that they read."""
