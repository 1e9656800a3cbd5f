"""The trust bench: are labels and verdicts of AutoTransfer reliable on corpora that nothing was tuned on?"""
