"""The front door: `label()` and its Result, which writes, reports, saves, stores, asks, certifies and learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from sklearn.base import clone

import labelferry  # its names are loaded when they are used

from .assessment.verdict import Verdict
from .certificate import LEVEL, Certificate
from .certificate.expected import ANSWERS, Expected
from .certificate.sampling import N_AUDIT
from .core import progress
from .core.classifier import TransductiveClassifier
from .core.method_spec import chosen_parameters, describe_method
from .ensemble.auto_transfer import TARGET_ERROR, AutoTransfer
from .files import write_text
from .inputs.features import Features, check_dask, make_features
from .inputs.inputs import Inputs, read_inputs
from .inputs.methods import make_labeller
from .inputs.multi_labels import check_one_label
from .inputs.opinions import described_opinion, read_descriptions, read_opinions
from .inputs.options import TextOptions, accept_options
from .inputs.prior import check_has_prior, read_class_prior, read_proportions
from .inputs.views import OWN_VECTORS, check_embed
from .labelling.answers import answers_of_target
from .labelling.column_names import NEW_COLUMNS
from .labelling.columns import new_columns
from .labelling.labelling import Labelling
from .labelling.multi import STAGE as SEVERAL
from .labelling.multi import MultiLabelling, fit_labels
from .labelling.opinions import count_opinions
from .labelling.outlook import expected_of
from .labelling.parents import check_parents, to_parents
from .labelling.save import save_model
from .labelling.transfer import STAGES, finish, fit_stages, stage
from .labelling.verdict import messages_of, verdict_of
from .linalg.dask_blocks import dask_backend
from .review.sample.accept_files import samples_in, usable_of_answers
from .review.sample.accepted_columns import accepted_columns
from .review.sample.audit import Sample, draw
from .review.sample.filled import certify_sample, read_given, read_sample
from .review.sample.find import RECALL, Find
from .review.sample.find_result import find_in_result
from .review.sample.frozen import ERROR, Limit
from .review.sample.population import answers_without_label, population_of_result, population_of_several
from .review.sample.several import MultiCertificate, accept_several, certify_several
from .review.sample.usable import Usable
from .tables import check_output, check_place, to_frame, with_columns
from .tables.spreadsheet import write_labelled


@dataclass(frozen=True, repr=False)
class Result(Labelling):
    """What `label` returns: a Labelling, and what can be done with it.

    The attributes are those of `labelferry.labelling.labelling.Labelling`: `labels`, `confidence`, `alternative`,
    `evidence`, `needs_review`, `typical`, `groups`, `reasons`, `given`, `answers`, `estimator`, `assessment` and more.
    """

    _opened: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, labelling: Labelling, opened: ExitStack) -> Result:
        """The result of a labelling; `close` closes what was opened for it."""
        return cls(**{item.name: getattr(labelling, item.name) for item in fields(Labelling)}, _opened=opened)

    def __repr__(self) -> str:
        mean, predicted = self.estimated_accuracy["mean"], self.predicted
        n, n_review = int(predicted.sum()), int((predicted & self.needs_review).sum())
        all_rows = "1 document" if n == 1 else f"{n} documents"
        count = all_rows if n == len(predicted) else f"{n} of {len(predicted)} rows"
        return (
            f"<labelferry labels: {count} by {self.method}, {self.verdict.level}, "
            f"{'correct share unknown' if mean is None else f'about {mean:.0%} correct'}"
            f"{f', {n_review} to review' if n_review else ''}>"
        )

    def _repr_html_(self) -> str:
        try:
            from .report import render_card

            return render_card(self.summary())
        except (ImportError, OSError):  # without the extra `report`; after `close`
            return f"<pre>{escape(repr(self))}</pre>"

    @cached_property
    def documents(self) -> Result:
        """The same result for the documents only: the rows of the target that have a text and no given label.

        A document without a known word has a class in `labels` here; `predicted` is False for it.
        """
        return self if self.of_documents is None else Result.of(self.of_documents, self._opened)

    @property
    def verdict(self) -> Verdict:
        """Can these labels be trusted? `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`."""
        return verdict_of(self)

    @property
    def messages(self) -> list[str]:
        """What was detected, what was skipped, and what was learned."""
        return messages_of(self)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The new columns by name, one value per row of the target.

        These are label, confidence, alternative, evidence (words with commas), needs_review, source_only, accept_rank.
        `source_only` is the label of the classifier that was trained on the labelled documents only, and `accept_rank`
        is 1 for the label that is most likely correct (`accept`). If a document is marked, also none_of_these. If
        documents are in a language that the labelled documents lack, `other_language` names it. With `parents`, `child`
        is the most probable child of the label, and `child_confidence` is its probability. If the labels learned from
        answers, `answer` has these, and `held_out` the labels of fits without the answer of the row. If rows have no
        predicted label, `reason` says why. For a half-labelled file `origin` is "given" for the labels that it had and
        "predicted" for the others; an answer to a row without a text is also "given". `labelferry` marks each row as
        written by labelferry: see `labelferry.labelling.marks`.
        """
        return new_columns(self)

    def frame(self) -> Any:
        """The target with the new columns: a frame of the user's type; for files and lists a dict of columns."""
        if hasattr(self.inputs.given, "columns"):
            return to_frame(self.inputs.all_rows, self.columns(), like=self.inputs.given, reserved=NEW_COLUMNS)
        return with_columns(self.inputs.all_rows, self.columns(), reserved=NEW_COLUMNS)

    def write(
        self, path: str | PathLike[str], *, spreadsheet: bool = False, accepted: Usable | None = None
    ) -> list[str]:
        """Write the target with the new columns; the suffix selects the format. Returns messages.

        With `spreadsheet`, cells of a CSV or TSV file that a spreadsheet would run as a formula get an apostrophe. With
        `accepted`, the result of `accept`, the column accepted is "yes" for labels that may be used, "answer" for rows
        that people answered, and empty for all others; `label` is their answer then, beside `predicted_label`.
        """
        columns = self.columns() if accepted is None else accepted_columns(self.columns(), accepted)
        return write_labelled(self.inputs.all_rows, columns, path, reserved=NEW_COLUMNS, spreadsheet=spreadsheet)

    def close(self) -> None:
        """End the connection to a Dask cluster that `label` made.

        After this, only `labels` and other arrays can be used; call `write`, `save` and `report` before.
        """
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def store(self, place: str | PathLike[str], *, seed: int | None = None) -> labelferry.Job:
        """Start a review job in a new SQLite file or an empty database; `seed` draws its random samples."""
        from .review.job.job import Job  # most results need no job

        return Job.create(self.documents, place, seed=seed)

    def audit(self, n: int = N_AUDIT, *, n_duel: int = 0, seed: int | None = None, blind: bool = False) -> Sample:
        """Draw a random sample to be answered by people; see `labelferry.review.sample.audit.draw`."""
        return draw(population_of_result(self), n, n_duel=n_duel, seed=seed, blind=blind)

    def certify(self, answers: Any, level: float = 0.95) -> Certificate:
        """Certify the labels by a sample of `audit` that was filled in: a path, a frame or a dict of columns."""
        population = population_of_result(self)
        return certify_sample(population, read_sample(answers, population), level)

    def accept(
        self,
        error: float = ERROR,
        answers: Any = None,
        *,
        seed: int | None = None,
        outside: bool = False,
        per_class: bool = False,
        after: Usable | None = None,
    ) -> Usable:
        """Which labels may be used without looking, by answers that were given after these labels were made.

        Parameters
        ----------
        error : float, default=0.05
            Allowed share of wrong labels among those that may be used.
        answers : mapping of int to label, or samples, default=None
            Target row (from 0) to answer; a list of answers if the row was asked again. Ask about `next_row()` of the
            result. Or samples of `labelferry accept` that were filled in: paths, frames or dicts of columns. Answers
            that the labels learned from certify nothing.
        seed : int, default=None
            Seed of the random order; that of the samples, or made from the labels. Not with answers by row, which
            would fit the best of many seeds.
        outside : bool, default=False
            Whether the claim is about the labels outside the sample that certifies them.
        per_class : bool, default=False
            Whether there is one claim per class: all of them hold together. They need more answers.
        after : Usable, default=None
            What could be used before these labels learned (`update`): it stays as it was, and the answers are about
            the other labels.

        Returns
        -------
        usable : Usable
            The labels, the claim about them, and how many answers more labels need.
        """
        population, classes = population_of_result(self), self.estimator.classes_
        n_rows, limit = len(self.inputs.all_rows), Limit(float(error), outside, per_class)
        others = answers_without_label(self)
        return usable_of_answers(population, answers, n_rows, classes, limit, seed=seed, after=after, others=others)

    def find(
        self, of_class: Any, recall: float = RECALL, answers: Any = None, *, level: float = LEVEL,
        seed: int | None = None,
    ) -> Find:  # fmt: skip
        """The search for all documents of one class, by what people answered so far.

        Parameters
        ----------
        of_class : label
            The class.
        recall : float, default=0.95
            Share of its documents to find.
        answers : sequence of (int, label), default=None
            Target rows (from 0) and answers, all of them in the order in which they were given: in another order the
            statement is wrong. A row that occurs again is a correction. Ask about `next_row()` of the result.
        level : float, default=0.95
            Confidence of the statement. Choose it before the first answer.
        seed : int, default=None
            Seed of the random draws: the same in every call. None: made from the labels.

        Returns
        -------
        find : Find
            `found`, `recall_at_least`, `done`, `next_row()` and `text()`. The statement holds whenever people stop.
        """
        return find_in_result(self, of_class, recall, answers, level=level, seed=seed)

    def expected(self, error: float = ERROR, answers: Sequence[int] = ANSWERS, *, learn: int = 0) -> list[Expected]:
        """What to expect of `accept`: numbers of answers, and of labels that can be used then.

        Each row has `answers`, `n`, its range from `low` to `high`, and how many of the n labels are `unseen`. The
        answers include those that the labels `learn` from first: 20 in a job, 0 for labels that stay as they are. It
        is no promise. Empty if the accuracy cannot be estimated.
        """
        return expected_of(self.documents, error, answers, learn)

    def summary(self) -> dict[str, Any]:
        """Everything that the report shows, as plain values."""
        return dict(self._summary)

    @cached_property
    def _summary(self) -> Mapping[str, Any]:
        from .report.summary import summarize  # only for a report, and for --json

        summary = summarize(self.documents, self.inputs, self.features, self.domains)
        return {**summary, "messages": self.messages}  # also those about rows that are no documents

    def update(self, answers: Any) -> Result:
        """Learn from answers: what people said about some target rows.

        Parameters
        ----------
        answers : mapping of int to label, sequence or sample
            Target row (from 0) to answer, one entry per row with None for unanswered ones, or a sample of `audit` that
            was filled in (a path, a frame or a dict of columns). All answers have to be passed, also earlier ones.
            "none of these" and "unclear" are answers too; they are not learned from.

        Returns
        -------
        result : Result
            New labels. Answered rows keep their answers, with confidence 1 and without review. The panel of
            AutoTransfer is not fitted again.
        """
        uses_labels = self.settings.get("use_target_labels", False)
        known = answers_of_target(self.inputs, self.domains.classes.tolist())[0] if uses_labels else {}
        read = read_given(answers, self.inputs, self.domains.classes, known)
        panel = self.estimator.panel_ if isinstance(self.estimator, AutoTransfer) else None
        progress.expect(STAGES[-1])
        updated = finish(
            self.inputs,
            self.features,
            self.domains,
            clone(self.estimator),
            read,
            self.settings,
            {},
            panel=panel,
            votes=self.votes,
        )
        return Result.of(updated, self._opened)

    def report(
        self,
        path: str | PathLike[str],
        *,
        texts: bool = True,
        labelled: str | PathLike[str] | None = None,
        job: str | None = None,
    ) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : path
            The page, .html.
        texts : bool, default=True
            Whether the page contains the texts. If not, it has no text, no word and none of your columns, only labels,
            numbers and record numbers.
        labelled : path, default=None
            The file of `write`, which the commands on the page then name.
        job : str, default=None
            The review job of these labels, which the commands then name.
        """
        from .report.summary import page_values

        try:
            from .report import render_page  # imports the charts, which takes half a second
        except ImportError as error:
            raise ValueError(
                f"the report needs {error.name}: pip install '.[report]' in a clone of labelferry."
            ) from None
        values = page_values(self, self.summary(), texts=texts, labelled=labelled, job=job)
        write_text(check_place(Path(path)), render_page(values))

    def save(self, path: str | PathLike[str]) -> None:
        """Save the model with its vocabulary, to label later documents: `labelferry.load(path).label(texts)`."""
        save_model(self, path)


@dataclass(frozen=True, repr=False)
class MultiResult(MultiLabelling):
    """What `label` returns for several labels per document (`multi`): one Result per label, and all of them together.

    `result["bug"]` is the Result of one label, with the classes no and yes: its verdict, report and model. `names` are
    the labels, `indicator` the rows of the target x labels, `proba` their chances, `sets` the labels of each row.
    """

    _opened: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, labelling: MultiLabelling, opened: ExitStack) -> MultiResult:
        """The result of a labelling; `close` closes what was opened for it."""
        return cls(**{item.name: getattr(labelling, item.name) for item in fields(MultiLabelling)}, _opened=opened)

    def __repr__(self) -> str:
        n = int(self.predicted.sum())
        return f"<labelferry labels: {n} documents, {len(self.names)} labels, {self.verdict.level}>"

    def __getitem__(self, name: str) -> Result:
        if name not in self.parts:
            raise KeyError(f"{name!r} is no label that was learned; these are {', '.join(self.names)}")
        return Result.of(self.parts[name], self._opened)

    def frame(self) -> Any:
        """The target with the new columns: a frame of the user's type; for files and lists a dict of columns."""
        if hasattr(self.inputs.given, "columns"):
            return to_frame(self.inputs.all_rows, self.columns(), like=self.inputs.given, reserved=NEW_COLUMNS)
        return with_columns(self.inputs.all_rows, self.columns(), reserved=NEW_COLUMNS)

    def write(self, path: str | PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write the target with the new columns; the suffix selects the format. Returns messages."""
        return write_labelled(self.inputs.all_rows, self.columns(), path, reserved=NEW_COLUMNS, spreadsheet=spreadsheet)

    def audit(self, n: int = N_AUDIT, *, n_duel: int = 0, seed: int | None = None, blind: bool = False) -> Sample:
        """Draw a random sample to be answered by people, as `Result.audit`: the answer is all labels of a document."""
        return draw(population_of_several(self), n, n_duel=n_duel, seed=seed, blind=blind)

    def certify(self, answers: Any, level: float = 0.95) -> MultiCertificate:
        """Certify each label, and "all labels of a document are right", by a sample of `audit` that was filled in."""
        population = population_of_several(self)
        return certify_several(population, read_sample(answers, population), level)

    def accept(self, error: float = ERROR, answers: Any = None, *, name: str | None = None) -> Usable:
        """Which documents may be used with all their labels, or, with a `name`, which documents with this label.

        `answers` are samples of `labelferry accept` that were filled in: paths, frames or dicts of columns. The other
        parameters and the result are as in `Result.accept`.
        """
        limit = Limit(float(error), name=name or "")
        return accept_several(population_of_several(self), samples_in(answers), limit)[0]

    def summary(self) -> dict[str, Any]:
        """Plain values: `title`, `verdict`, `labels` (one dict per label), `not_learned` and `messages`."""
        return {
            "title": self.inputs.title,
            "verdict": self.verdict.as_dict(),
            "labels": self.table(),
            "not_learned": dict(self.skipped),
            "messages": self.messages,
        }

    def store(self, place: str | PathLike[str], *, seed: int | None = None) -> labelferry.Job:
        """Start a review job, as `Result.store`: the page asks with check boxes, one per label."""
        from .review.job.job import Job  # most results need no job

        return Job.create(self, place, seed=seed)

    def close(self) -> None:
        """End the connection to a Dask cluster that `label` made; see `Result.close`."""
        self._opened.close()


@accept_options
def label(
    source: Any,
    target: Any = None,
    *,
    method: str | TransductiveClassifier = "auto",
    target_error: float = TARGET_ERROR,
    min_confidence: float | None = None,
    class_prior: Any = None,
    seed: int = 0,
    parents: bool = False,
    answers: Any = None,
    opinions: Any = None,
    opinions_trained: Any = None,
    descriptions: Any = None,
    out: str | PathLike[str] | None = None,
    dask: Any = None,
    options: TextOptions,
) -> Result:
    """Predict labels for the documents of `target` from the labelled documents of `source`.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        A path of a CSV, TSV, Excel, JSON, JSON lines or Parquet file, or of a folder; a pandas or polars
        frame; or a list of texts. If `source` is a list of texts, pass its labels as `label=[...]`. A list of paths or
        frames as `source` means several sources. Without `target`, the rows of `source` that have a label are the
        source and those without one the target; the result has all of them.
    method : str or estimator, default="auto"
        Name of an estimator such as "tcl", with parameters if you like: "tcl(n_topics=4)"; or an estimator such as
        `TCL(n_topics=4)`, which is copied and not changed. "auto" combines several models (`AutoTransfer`).
    target_error : float, default=0.05
        Labels get `needs_review`, the least confident first, until the expected share of wrong labels among the others
        is at most this value.
    min_confidence : float, default=None
        If given, it replaces `target_error`: labels with a lower confidence get `needs_review`. Regardless of their
        confidence, documents without known words, marked `none_of_these` or in a language that the labelled documents
        lack get it; if a warning about the data requires it (`AutoTransfer.facts_`, for example too few labelled
        documents), all labels get it.
    class_prior : dict, array or {"source", "uniform", "estimate"}, default=None
        Class proportions of the target, if you know them: `{"bug": 0.2, "question": 0.8}`, or an array in the order of
        the sorted classes. The labels are matched to them. With `multi`, the share of the documents with each label
        that you know; they need not sum to 1.
    seed : int, default=0
        Random seed.
    parents : bool, default=False
        Whether to label the parents of a hierarchy, such as dev of dev/bug and dev/idea; the separator (/, >, ::, : or
        .) is found. The probability of a parent is the sum over its children. Verdict, estimates, answers and
        certificates are about the parents; the columns child and child_confidence have the most probable child of each.
    answers : mapping of int to label, sequence or sample, default=None
        What people said about target rows: row (from 0) to label, or one entry per row with None for unanswered ones,
        or a sample of `accept` or `audit` that was filled in (a path, a list of `Path`s, a frame or a dict of columns).
        The labels learn from them; answered rows keep their answers. "none of these" and "unclear" are answers too.
    opinions : str, list of str or dict, default=None
        Guesses of other labellers, such as an LLM, rules or an older model: columns of the target and, to measure them,
        of the source. An empty cell is no guess. The column `<name>_confidence` is used if both have it. Or values: a
        dict of name to one guess per target row, or to a pair, those of the source rows first. They change the labels
        as far as they were right on the labelled documents; the verdict is never "safe" before answers confirm them.
    opinions_trained : str, list of str or dict, default=None
        The same, of labellers that learned from the labelled documents: only answers tell what these are worth.
    descriptions : dict, path or data frame, default=None
        One sentence per class; a file or frame has the columns class and description. The class whose sentence is most
        similar to a document, by the model of `embed` or else wordllama, is one more opinion.
    out : path, default=None
        File to which you will write the result: an error if it cannot contain the rows comes before the fit.
    dask : {"local"}, str or distributed.Client, default=None
        A Dask cluster on which the words are counted and on which the documents stay: "local" for two processes of
        this machine, the address of a scheduler such as "tcp://10.0.0.1:8786", or a client. The method has to accept
        blocks of documents (docs/scale.md). `result.close()` ends a connection that was made here. In a script, a call
        with "local" has to be below `if __name__ == "__main__":`, because each process imports the script.

    Returns
    -------
    result : Result or MultiResult
        The labels, their confidences, the words that support each label, and the verdict. Write it with `write(path)`,
        `report(path)` or `save(path)`. With `multi`, a MultiResult: one Result per label.

    Other Parameters
    ----------------
    text, text_target, label, label_target, merge_labels, multi, use_target_labels : optional
        Columns and labels: see `labelferry.inputs.options.TextOptions`.
    domain, skip_bad, encoding, embed, features : optional
        How documents are read: see `labelferry.inputs.options.TextOptions`.
    language, ngrams, analyzer, sublinear, min_documents, stem, html, headers, signatures, max_memory : optional
        How texts become words: see `labelferry.inputs.options.TextOptions`.

    Examples
    --------
    >>> import labelferry
    >>> demo = labelferry.load_demo()
    >>> result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="tcl")
    >>> bool((result.labels == demo.y_target).mean() > 0.9)
    True
    """
    for name, value in (("min_confidence", min_confidence), ("target_error", target_error)):
        if value is not None and not (isinstance(value, Real) and 0 <= value <= 1):
            raise ValueError(f"{name} must be from 0 to 1; got {value}.")
    estimator = make_labeller(method, seed)  # a wrong name or parameter is an error before the files are read
    if isinstance(estimator, AutoTransfer) and target_error == TARGET_ERROR:
        target_error = estimator.target_error
    check_has_prior([estimator], class_prior)
    class_prior = chosen_parameters(method).get("class_prior") if class_prior is None else class_prior
    check_embed(options.embed)
    if not isinstance(estimator, AutoTransfer) and (opinions, opinions_trained, descriptions) != (None, None, None):
        raise ValueError(f"opinions need the method 'auto'; got {type(estimator).__name__}. Omit one of them.")
    settings: dict[str, Any] = {"seed": seed, "target_error": target_error, "min_confidence": min_confidence}
    settings["method"] = method if isinstance(method, str) else describe_method(method)
    settings |= options.cleaning
    check_dask(dask, estimator, options)
    with ExitStack() as opened:  # an error closes what was opened
        backend = opened.enter_context(dask_backend(dask))
        seconds: dict[str, float] = {}
        if options.multi:
            progress.expect(*STAGES[:2], SEVERAL)
        else:
            progress.expect(*STAGES, *(fit_stages(estimator) if options.features is None else ()))
        with stage("reading", seconds):
            named = (opinions, opinions_trained) != (None, None)
            inputs = read_inputs(source, target, options, keep_tables=named)
            found, opinion_messages = read_opinions(inputs, opinions, opinions_trained)
            inputs = inputs._replace(source_tables=())  # only their cells are needed
            if out is not None:
                check_output(inputs.all_rows, out)

        def settings_of(features: Features, prior: Any) -> dict[str, Any]:
            words = {} if features.text_settings is None else features.text_settings._asdict()
            view = {} if features.view is None else {"embed": features.view_name or OWN_VECTORS}
            return settings | words | view | {"class_prior": prior}

        if inputs.form is not None:
            given = {"answers": answers, "opinions": opinions, "opinions_trained": opinions_trained}
            given |= {"descriptions": descriptions, "parents": parents or None}
            given |= {"use_target_labels": options.use_target_labels or None}
            check_one_label(given)
            priors = read_proportions(class_prior, inputs.form.names)

            def features_of(own: Inputs) -> Features:
                with stage("counting words", seconds):
                    return make_features(own, options, backend)

            several = fit_labels(
                inputs, features_of, estimator, lambda own, name: settings_of(own, priors[name]), seconds
            )
            return cast(Result, MultiResult.of(several, opened.pop_all()))  # the type is that of calls without multi
        with stage("counting words", seconds):
            features = make_features(inputs, options, backend)
            domains = features.domains(inputs, estimator)
            progress.size(domains.n_entries, domains.n_classes)
            prior = read_class_prior(class_prior, domains.classes)
        settings = settings_of(features, prior.tolist() if isinstance(prior, np.ndarray) else prior)
        if parents:
            check_parents(domains.classes.tolist(), estimator, settings["class_prior"])
        known: dict[int, str] = {}
        if options.use_target_labels and not inputs.is_half_labelled:
            known, messages = answers_of_target(inputs, domains.classes.tolist())
            inputs = inputs._replace(messages=[*inputs.messages, *messages])
            settings["use_target_labels"] = True
        read = read_given(None if parents else answers, inputs, domains.classes, known)
        if descriptions is not None:
            sentences = read_descriptions(descriptions, [str(c) for c in domains.classes])
            found = (*found, described_opinion(inputs, sentences, options))
        votes = count_opinions(found, inputs, domains)
        votes = votes._replace(messages=[*opinion_messages, *votes.messages])
        labelling = finish(inputs, features, domains, estimator, read, settings, seconds, votes=votes)
        if not parents:
            return Result.of(labelling, opened.pop_all())
        result = Result.of(to_parents(labelling), opened.pop_all())
        return result if answers is None else result.update(answers)
