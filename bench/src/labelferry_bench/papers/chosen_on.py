"""Which defaults were chosen with labels of which tasks known. The docstring of a method has the numbers."""

from __future__ import annotations

THREE = "comp vs sci, rec vs talk, sci vs talk"
# Method, what was chosen, on which tasks of 20 Newsgroups and other corpora, checked on which others.
CHOSEN_ON = (
    ("CDSC", "k, lambda, tau", "rec vs talk, rec vs sci, comp vs talk of `cdsc`", "the other three"),
    ("GCMF", "number of iterations", f"{THREE}, three Amazon pairs", "Reuters: not confirmed on orgs vs people"),
    (
        "HybridLabelPropagation, HybridSimilarityPropagation",
        "start, reading, weighting, tau",
        "all six of `hybrid`",
        "`cdsc-500`",
    ),
    ("RSP", 'the rule of `risk="auto"`', "all of `rsp`, `rsp-office`, `hybrid`, `cdsc`, `reuters`", "none"),
    ("TCL", "`weighting`", "comp vs sci, rec vs talk, orgs vs people of `tcl`", "the other six, four Amazon pairs"),
    ("TCL", "alpha = .9, order of normalization", "all of `tcl`", "none"),
    ("TSVM", "C", f"{THREE}, three Amazon pairs", "the other three"),
    ("LapSVM", "number of neighbors", "all six of `gcmf`", "none"),
    ("MSDA", "p, C", THREE, "the other three"),
    ("KDEWeighting", "dimensions", THREE, "the other three"),
    ("ITCC", "word clusters, starts", THREE, "the other three"),
    ("CoCC", "dimensions, starts", THREE, "the other three"),
    ("NMFClustering", "weighting", THREE, "the other three"),
    ("SpectralClassifier, NormalizedCut, SpectralCoclustering", "tau", "all six of `cdsc`", "none"),
)


def chosen_on() -> str:
    """Return the table as Markdown."""
    head = ("method", "default", "chosen with the labels of", "checked on")
    lines = [head, ("---",) * len(head), *((f"`{m}`".replace(", ", "`, `"), *rest) for m, *rest in CHOSEN_ON)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
