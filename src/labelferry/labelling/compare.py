"""Several methods on the same documents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..assessment.agreement import mean_kappas, most_confident
from ..assessment.proportions import Prior, list_shares
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.method_spec import describe_method, make_method, parse_method, parse_methods
from ..core.registry import AUTO
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.panel import SOURCE_ONLY
from ..inputs.features import make_features
from ..inputs.inputs import read_inputs
from ..inputs.methods import make_labeller
from ..inputs.options import TextOptions, accept_options
from ..inputs.prior import check_has_prior, read_class_prior
from ..linalg.matrix import Array
from .truth import check_column, read_truth, score


@accept_options
def compare(
    source: Any,
    target: Any = None,
    *,
    methods: str | Sequence[str | TransductiveClassifier] = (),
    truth: str | None = None,
    class_prior: Any = None,
    seed: int = 0,
    options: TextOptions,
) -> dict[str, Any]:
    """Compare methods on the same documents.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        As in `label`. Without `target`, `source` is half labelled.
    methods : list of str or estimators, or str, default=()
        As `method` of `label`: "tcl", "tcl(n_topics=4)", `TCL(n_topics=4)` or "auto"; one str has commas between them.
        By default the panel of `label`, and their combined answer in the row `auto`. SourceLR is always fitted and
        counts among the others for the agreement.
    truth : str, default=None
        Column of the target with the true labels; rows without a label are ignored.
    class_prior : dict, array or {"source", "uniform", "estimate"}, default=None
        Class proportions of the target as in `label`. All rows are matched to them.
    seed : int, default=0
        Random seed.

    Returns
    -------
    comparison : dict
        Plain values. `rows` has one dict per method: `agreement` (mean kappa with the others), `confident` (agreement
        with SourceLR on the 20% of the documents it is most confident about), `seconds`, and with `truth` also
        `documents` and `correct` (numbers), `accuracy` with its 95% interval from `low` to `high`, `balanced` accuracy
        and `confusion` (`true` and `predicted` labels, and a table of `documents`). `truth` has the number of
        `documents` with a true label, and the labels `unknown` to the source.

    Other Parameters
    ----------------
    text, text_target, label, label_target, merge_labels, multi, use_target_labels : optional
        Columns and labels: as in `label`; labels of the target are never used.
    domain, skip_bad, encoding, embed, features : optional
        How documents are read: as in `label`.
    language, ngrams, analyzer, sublinear, min_documents, stem, html, headers, signatures, max_memory : optional
        How texts become words: as in `label`.
    """
    estimators = make_named(methods, seed)
    check_has_prior(estimators.values(), class_prior)
    options.check_for("compare")
    inputs = read_inputs(source, target, options)
    if truth is not None:
        check_column(inputs.target.columns, truth, inputs.target.name)
    features = make_features(inputs, options)
    fitted = {SOURCE_ONLY: make_method(SOURCE_ONLY, seed), **estimators}
    domains = features.domains(inputs, fitted[SOURCE_ONLY])
    progress.size(domains.n_entries, domains.n_classes)
    prior = read_class_prior(class_prior, domains.classes)
    true_labels = read_truth(inputs.target.columns, truth, inputs.target.name, domains.classes)
    if prior is not None:
        fitted = {name: estimator.set_params(class_prior=prior) for name, estimator in fitted.items()}
    codes, seconds = fit_estimators(fitted, domains)
    if not methods:
        codes, seconds = fit_auto(AutoTransfer(class_prior=prior, random_state=seed), domains, features.view)
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    confident = most_confident(fitted[SOURCE_ONLY].transduction_proba_)
    rows = [
        {
            "method": name,
            "agreement": agreement[name],
            "confident": float((predicted == codes[SOURCE_ONLY])[confident].mean()),
            "seconds": seconds[name],
            **score(domains.classes[predicted], domains.classes, true_labels),
        }
        for name, predicted in codes.items()
        if not methods or name in estimators
    ]
    return {
        "title": inputs.title,
        "n_target": features.Xt.shape[0],
        "rows": sorted(rows, key=lambda row: -row["agreement"]),
        "truth": None if true_labels is None else true_labels.summary(),
        "messages": [
            *inputs.messages,
            *features.messages,
            *_prior_message(prior, domains),
            *([] if true_labels is None else true_labels.messages()),
        ],
    }


def make_named(methods: str | Sequence[str | TransductiveClassifier], seed: int) -> dict[str, TransductiveClassifier]:
    """The estimators by the names of their rows: as they are written, with their parameters."""
    named = {}
    for method in parse_methods(methods) if isinstance(methods, str) else methods:
        estimator = make_labeller(method, seed)
        name = str(parse_method(method)) if isinstance(method, str) else describe_method(method)
        named[name.replace("AutoTransfer", AUTO, 1)] = estimator
    return named


def fit_auto(
    auto: AutoTransfer, domains: Domains, second_view: Any = None
) -> tuple[dict[str, Array], dict[str, float]]:
    """Codes and seconds of the members of the panel and of the answer, as `label` fits them."""
    auto.fit_domains(domains, second_view=second_view)
    members = auto.state_.assessment.members
    prior = int(auto.class_prior_.argmax())  # the label of documents without words
    codes = {}
    for name, predicted in zip(members.names, members.codes, strict=True):
        codes[name] = np.full(len(auto.transduction_), prior)
        codes[name][auto.in_fit_] = predicted
    seconds = dict(zip(members.names, members.seconds.tolist(), strict=True))
    codes[AUTO], seconds[AUTO] = auto.transduction_proba_.argmax(axis=1), sum(seconds.values())
    return codes, seconds


def fit_estimators(
    estimators: dict[str, TransductiveClassifier], domains: Domains
) -> tuple[dict[str, Array], dict[str, float]]:
    """Codes and seconds of each estimator."""
    codes, seconds = {}, {}
    progress.expect(*estimators)
    for name, estimator in estimators.items():
        progress.begin(name)
        start = time.perf_counter()
        codes[name] = estimator.fit_domains(domains).transduction_proba_.argmax(axis=1)
        seconds[name] = time.perf_counter() - start
    return codes, seconds


def _prior_message(class_prior: Any, domains: Domains) -> list[str]:
    prior = Prior.read(class_prior, domains)
    if prior is None:
        return []
    classes = [str(c) for c in domains.classes]
    return [f"all labels are matched to class proportions ({prior.origin}): {list_shares(prior.values, classes)}"]
