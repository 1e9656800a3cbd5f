"""The trust bench: are labels and verdicts of AutoTransfer reliable on corpora that nothing was tuned on?"""

from .run import run_calibration, run_trust

__all__ = ["run_calibration", "run_trust"]
