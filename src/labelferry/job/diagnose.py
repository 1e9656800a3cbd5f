"""Before labelling: how far apart are the domains, what carries the labels across, and may it work?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..auto.assess import assess, verdict
from ..auto.auto_transfer import TARGET_ERROR, at_home
from ..auto.blend import blend
from ..auto.panel import ask, make_panel
from ..diagnosis import carriers, changed_words, divergence, gap, risk, vocabulary_overlap
from ..linalg.matrix import stack_rows
from .features import vectorize
from .inputs import read_inputs
from .panel import WITNESSES, stack

N_WORDS = 20
SENTENCES = {
    "safe": "Labels can be carried across: other methods would say much the same.",
    "doubtful": "Labels can be carried across with care: many of them will have to be checked.",
    "unsafe": "Labels can hardly be carried across: label some of the new documents by hand.",
}


def diagnose(
    source: Any,
    target: Any,
    *,
    text: str | None = None,
    label: Any = None,
    domain: str | None = None,
    language: str | None = "english",
    ngrams: int = 1,
    skip_bad: bool = False,
    encoding: str | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """A plain dict: overlap, gap, divergence and risk, changed words, balance of the classes, words that carry labels,
    the nearest source and a verdict with its reasons. The parameters are those of `label`; no label of the target is
    looked at."""
    inputs = read_inputs(source, target, text=text, label=label, domain=domain, skip_bad=skip_bad, encoding=encoding)
    found = vectorize(inputs, cleaning={}, settings={"language": language, "ngrams": ngrams})
    Xs, Xt = stack_rows(found.Xs), found.Xt
    given = np.concatenate([source.labels for source in inputs.sources])
    domains = stack(inputs, found).domains()
    answers = ask({name: member for name, member in make_panel(seed).items() if name in WITNESSES}, domains)
    blended = blend(answers.proba)
    judged = assess(blended.proba, answers, Xt, at_home(domains), blended.weights, TARGET_ERROR)
    classes, codes = np.unique(given.astype(str), return_inverse=True)
    carrying = carriers(Xs, codes, Xt)
    kl, overlap = divergence(Xs, Xt, random_state=seed), vocabulary_overlap(Xs, Xt)
    found_verdict = verdict(judged)
    return {
        "title": f"{', '.join(source.name for source in inputs.sources)} to {inputs.target.name}",
        "verdict": {**found_verdict.as_dict(), "sentence": SENTENCES[found_verdict.level]},
        "n_source": Xs.shape[0],
        "n_target": Xt.shape[0],
        "n_words": Xt.shape[1],
        "vocabulary_overlap": overlap,
        "gap": gap(Xs, Xt),
        "divergence": kl,
        "risk": risk(kl),
        "carriers": {"words": int(carrying.sum()), "documents": _share_with(Xt, carrying)},
        "sources": sorted(
            (
                {"name": s.name, "documents": len(s.texts), "gap": gap(X, Xt)}
                for s, X in zip(inputs.sources, found.Xs, strict=True)
            ),
            key=lambda row: row["gap"],
        ),
        "classes": [
            {
                "class": str(c),
                "source": float((given.astype(str) == c).mean()),
                "target": float(judged.shares[list(domains.classes.astype(str)).index(c)]),
            }
            for c in classes
        ],
        "changed_words": changed_words(Xs, Xt, found.words, N_WORDS),
        "agreement": dict(zip(judged.members, judged.agreement.tolist(), strict=True)),
        "said": [*inputs.said, *found.said],
    }


def _share_with(X: Any, words: np.ndarray) -> float:
    """The share of documents that have one of these words or more."""
    return float((np.asarray((X != 0) @ words.astype(float)).ravel() > 0).mean())
