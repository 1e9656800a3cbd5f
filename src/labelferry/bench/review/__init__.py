"""The review bench: what answers of people prove about labels, and what can be learned from them."""
