"""Slow twins: the papers' loops, dense and literal, in the papers' letters. The fast code must equal them."""
