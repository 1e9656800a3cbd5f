"""Before labeling: how different are the domains, which words transfer the labels, and is transfer likely to work?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..assessment import carrier_words, carriers, changed_words, divergence, gap, risk, vocabulary_overlap
from ..assessment.verdict import LEVELS
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..ensemble.assessed_fit import fit_and_assess
from ..ensemble.auto_transfer import TARGET_ERROR
from ..inputs.features import Features, make_features
from ..inputs.inputs import Inputs, read_inputs
from ..inputs.methods import cluster_messages, make_labeller
from ..inputs.options import TextOptions, accept_options
from ..linalg.matrix import Array

N_WORDS = 20
STAGES = ("reading", "counting words")  # of its own, beside those of the methods


@accept_options
def diagnose(
    source: Any,
    target: Any = None,
    *,
    method: str | TransductiveClassifier = "auto",
    seed: int = 0,
    options: TextOptions,
) -> dict[str, Any]:
    """Check whether label transfer is likely to work. Labels of the target are never used.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        As in `label`. Without `target`, `source` is half labelled.
    method : str or estimator, default="auto"
        As in `label`: the method whose labels are assessed.
    seed : int, default=0
        Random seed.

    Returns
    -------
    diagnosis : dict
        Plain values: vocabulary overlap, distances, words that changed, class proportions, the words that transfer the
        labels, the sources (nearest first) and a verdict with its reasons.

    Other Parameters
    ----------------
    text, text_target, label, label_target, merge_labels, multi, use_target_labels : optional
        Columns and labels: as in `label`; labels of the target are never used.
    domain, skip_bad, encoding, embed, features : optional
        How documents are read: as in `label`.
    language, ngrams, analyzer, sublinear, min_documents, stem, html, headers, signatures, max_memory : optional
        How texts become words: as in `label`.
    """
    options.check_for("diagnose")
    estimator = make_labeller(method, seed)
    progress.expect(*STAGES)
    progress.begin(STAGES[0])
    inputs = read_inputs(source, target, options)
    progress.begin(STAGES[1])
    features = make_features(inputs, options)
    domains = features.domains(inputs, estimator)
    progress.size(domains.n_entries, domains.n_classes)
    (Xs, codes), Xt = domains.labelled(), domains.target_documents()
    fit = fit_and_assess(
        estimator,
        domains,
        seed=seed,
        target_error=TARGET_ERROR,
        second_view=features.view,
        languages=features.languages,
    )
    assessment = fit.assessment
    verdict = assessment.verdict()
    carrying = carriers(Xs, codes, Xt)
    listed = carrier_words(Xs, codes, Xt, features.words, shown=features.shown)
    kl = divergence(Xs, Xt, random_state=seed)
    return {
        "title": inputs.title,
        "verdict": {**verdict.as_dict(), "sentence": LEVELS[verdict.level].before},
        "facts": [fact.advice for fact in assessment.facts],
        "n_source": int(np.concatenate(features.learned).sum()),
        "n_target": Xt.shape[0],
        "n_words": Xt.shape[1],
        "vocabulary_overlap": vocabulary_overlap(Xs, Xt),
        "gap": gap(Xs, Xt),
        "divergence": kl,
        "risk": risk(kl),
        "carriers": {
            "words": int(carrying.sum()),
            "documents": _share_with(Xt, carrying),
            "classes": [{"class": str(c), "words": own} for c, own in zip(domains.classes, listed, strict=True)],
        },
        "sources": sorted(source_rows(inputs, features, domains), key=lambda row: row["gap"]),
        "estimated_balanced_accuracy": assessment.estimated("balanced_accuracy"),
        "estimated_accuracy": assessment.estimated("accuracy"),
        "proportions_known": assessment.proportions.known,
        "classes": [
            {
                "class": str(row["class"]),
                "source": float(share),
                "target": row["mean"],
                "low": row["low"],
                "high": row["high"],
            }
            for row, share in zip(assessment.proportions.rows(domains.classes), domains.class_prior, strict=True)
        ],
        "changed_words": changed_words(Xs, Xt, features.words, N_WORDS, shown=features.shown),
        "agreement": dict(zip(assessment.members.names, assessment.members.agreement.tolist(), strict=True)),
        "messages": [*inputs.messages, *features.messages, *cluster_messages(estimator)],
    }


def _share_with(X: Any, words: Array) -> float:
    """The share of documents that contain at least one of these words."""
    return float((np.asarray((X != 0) @ words.astype(float)).ravel() > 0).mean())


def source_rows(inputs: Inputs, features: Features, domains: Domains) -> list[dict[str, Any]]:
    """One dict per source: its name, the number of documents to learn from, and its distance to the target."""
    Xt = domains.target_documents()
    return [
        {"name": source.name, "documents": int(learned.sum()), "gap": gap(domain.X, Xt)}
        for source, learned, domain in zip(inputs.sources, features.learned, domains.sources, strict=True)
    ]
