"""A report of the demo corpus as `labelferry` makes it, with texts that contain markup, scripts and templates."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import vstack
from sklearn.decomposition import TruncatedSVD

import labelferry
from labelferry import TCL, SourceLR, load_demo
from labelferry.assessment import divergence, gap, risk

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (
    SCRIPT,
    "</script><script>alert(2)</script>",
    "<!-- <script> \u2028 \u2029 ]]> \x00",
    "<img src=x onerror=alert(3)>",
    '"><svg onload=alert(4)>',
    "{{ 7 * 7 }} ${alert(5)} {% raw %}",
    "\u202etxet desrever",
    "half a pair: \ud83d",
    "a" * 500,
)
HOSTILE_CLASS = "<b onclick=alert(6)>technical</b>"
HOSTILE_WORD = "</textarea><img src=x onerror=alert(7)>"
LONG = "The hub lost the wifi.\n" * 30 + "At last: zebra."
THRESHOLD = 0.6


@cache
def example_report() -> dict[str, Any]:
    """Make the report once; tests that change it make a deep copy."""
    demo = load_demo()
    est = TCL(n_topics=3, random_state=0)
    labels = est.transfer(demo.X_source, demo.y_source, demo.X_target)
    proba = est.transduction_proba_
    order = np.argsort(-proba, axis=1)
    confidence = proba.max(axis=1)
    other = SourceLR().transfer(demo.X_source, demo.y_source, demo.X_target)

    def name(label: Any) -> str:
        return HOSTILE_CLASS if label == "technical" else str(label)

    svd = TruncatedSVD(3, random_state=0).fit(vstack([demo.X_source, demo.X_target]))
    points = []
    for domain, X, y, texts in (
        ("tickets-2024.csv", demo.X_source, demo.y_source, demo.texts_source),
        ("target", demo.X_target, labels, demo.texts_target),
    ):
        for i, (_, x, y_axis) in enumerate(svd.transform(X).tolist()):
            text = HOSTILE[i] if domain == "target" and i < len(HOSTILE) else texts[i]
            points.append(
                {
                    "x": x,
                    "y": y_axis,
                    "domain": domain,
                    "label": name(y[i]),
                    "confidence": float(confidence[i]) if domain == "target" else None,
                    "row": i + 1,
                    "none_of_these": domain == "target" and i % 40 == 0,
                    "text": text[:200],
                }
            )

    def document(n: int, i: int) -> dict[str, Any]:
        text = (*HOSTILE, LONG)[n] if n <= len(HOSTILE) else demo.texts_target[i]
        return {
            "row": i + 1,
            "own": [f"T-{1000 - i}", SCRIPT if n == 0 else ""],
            "pieces": [["word ", True], [text, False]] if n == 1 else [[text, False]],
            "characters": len(text),
            "label": name(classes[order[i, 0]]),
            "confidence": float(proba[i, order[i, 0]]),
            "alternative": name(classes[order[i, 1]]),
            "needs_review": n < 12,
            "none_of_these": n == 3,
            "evidence": [HOSTILE_WORD] * (n == 9),
            "fingerprint": f"t{i:016x}",
        }

    edges = np.linspace(1 / 3, 1, 21)
    counts, _ = np.histogram(confidence, edges)
    shares = {key: np.asarray((X > 0).mean(axis=0)).ravel() for key, X in (("s", demo.X_source), ("t", demo.X_target))}
    changed = np.argsort(-np.abs(shares["s"] - shares["t"]))[:20]
    doubtful = np.argsort(confidence)[:60]
    kl = divergence(demo.X_source, demo.X_target)
    classes = [str(c) for c in est.classes_]
    used = [X.getnnz(axis=0) > 0 for X in (demo.X_source, demo.X_target)]
    return {
        "title": "Labels for tickets-2026.csv",
        "created": "2026-11-16 12:00",
        "version": labelferry.__version__,
        "verdict": {
            "level": "safe",
            "sentence": "The labels can be used; check the few documents below the threshold first.",
            "reasons": [
                "The new documents have the same topics in partly other words.",
                "Two methods that work differently agree on most labels.",
                f"One document contains {SCRIPT}, which is shown as text.",
            ],
        },
        "method": {
            "name": "TCL",
            "what": "Finds topics that labelled and new documents share, with common words and words of each set.",
            "why": "It was chosen by the user.",
        },
        "n_source": len(demo.texts_source),
        "n_target": len(demo.texts_target),
        "estimated_balanced_accuracy": {"mean": 0.94, "low": 0.8, "high": 1.0},
        "estimated_accuracy": {"mean": 0.95, "low": 0.92, "high": 0.97},
        "sources": [
            {
                "name": "tickets-2024.csv",
                "documents": len(demo.texts_source),
                "gap": float(gap(demo.X_source, demo.X_target)),
            }
        ],
        "classes": [
            {
                "class": name(c),
                "source": int((demo.y_source == c).sum()),
                "target": int((labels == c).sum()),
                "share": float((labels == c).mean()),
                "low": 0.1,
                "high": 0.5,
                "confidence": float(confidence[labels == c].mean()),
                "to_review": int((confidence[labels == c] < THRESHOLD).sum()),
                "words": ["plan", HOSTILE_WORD],
            }
            for c in classes
        ],
        "projection": {"points": points, "documents": {"tickets-2024.csv": 360, "target": 1500}},
        "confidence": {
            "threshold": THRESHOLD,
            "bins": [
                {"from": float(a), "to": float(b), "documents": int(n)}
                for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
            ],
            "below": int((confidence < THRESHOLD).sum()),
        },
        "changed_words": [{"word": HOSTILE_WORD, "source": 0.31, "target": 0.02}]
        + [
            {"word": str(demo.words[w]), "source": float(shares["s"][w]), "target": float(shares["t"][w])}
            for w in changed
        ],
        "story": {
            "known": ["About 95% of the labels are correct.", f"A document contains {SCRIPT}."],
            "not_known": ["How many labels are really correct."],
            "next": [
                {"sentence": "Read some documents.", "commands": []},
                {"sentence": "Check 40 documents.", "commands": ["labelferry audit 'a & b.csv' -o sample.csv"]},
            ],
        },
        "rerun": {"sentence": "The labels learn from the corrections with", "command": "--answers corrections.csv"},
        "none_of_these": [
            {
                "documents": 9,
                "words": ["doorbell", HOSTILE_WORD],
                "examples": [{"row": 1, "own": ["T-1", SCRIPT], "text": SCRIPT}, {"row": 41, "text": "The bell."}],
            }
        ],
        "documents": {
            "columns": ["ticket", "<b>subject</b>"],
            "classes": [name(c) for c in classes],
            "to_review": 20,
            "to_review_listed": 12,
            "others": 340,
            "others_listed": len(doubtful) - 12,
            "rows": [document(n, int(i)) for n, i in enumerate(doubtful)],
        },
        "comparison": [
            {"method": "TCL", "agreement": 1.0, "score": 0.81, "seconds": 0.4, "accuracy": None, "chosen": True},
            {
                "method": "SourceLR",
                "agreement": float((labels == other).mean()),
                "score": 0.62,
                "seconds": 0.1,
                "accuracy": None,
                "chosen": False,
            },
        ],
        "diagnosis": {
            "vocabulary_overlap": float((used[0] & used[1]).mean()),
            "gap": float(gap(demo.X_source, demo.X_target)),
            "divergence": float(kl),
            "risk": float(risk(kl)),
        },
        "messages": ["2 rows without a text were skipped."],
        "settings": {"method": "tcl", "n_topics": 3, "random_state": 0, "note": SCRIPT, "columns": ["text", "label"]},
        "timings": [{"stage": "reading", "seconds": 0.8}, {"stage": "labelling", "seconds": 71.4}],
    }
