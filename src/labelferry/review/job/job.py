"""A review job: labels in a store, questions to people, their answers, certificates and new fits.

All state is in the store. Several processes may use one job at the same time; each reads the new rows of the log
before it computes anything.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ...certificate import LEVEL, Certificate, certify
from ...tables.spreadsheet import write_labelled
from ..store.records import FIRST_FIT
from .asking import JobQuestions
from .export import corrections_table, labelled_table
from .refit import refit
from .state import JobState

if TYPE_CHECKING:
    from ...labelling.labelling import Labelling
    from ..store import Page, Store


def open_job(place: str | os.PathLike[str]) -> Job:
    """Open a review job.

    Parameters
    ----------
    place : path or str
        SQLite file, or database URL such as `postgresql://user@host/database`.

    Returns
    -------
    job : Job
        The job.
    """
    return Job(_store_class().open(place))


def check_new_job(place: str | os.PathLike[str]) -> None:
    """Raise the errors that a new job at this place would raise, before the work that gives its content.

    Parameters
    ----------
    place : path or str
        New SQLite file, or URL of an empty database.
    """
    _store_class().check_new(place)


def _store_class() -> type[Store]:
    try:
        from ..store import Store
    except ImportError as error:
        raise ValueError(
            f"a review job needs {error.name}: pip install '.[review]' in a clone of labelferry."
        ) from None
    return Store


class Job(JobQuestions):
    """A review job. Use `labelferry.open_job`, or `store` of the result of `labelferry.label`.

    Parameters
    ----------
    store : Store
        Where everything is kept.

    Attributes
    ----------
    store : Store
        Where everything is kept.
    classes : list of str
        The class labels.
    columns : list of str
        The user's own columns without the text.
    n_documents : int
        Number of documents.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._certificates: dict[tuple[int, int, float], Certificate] = {}

    @classmethod
    def create(cls, labelling: Labelling, place: str | os.PathLike[str], *, seed: int | None = None) -> Job:
        """Write the result of `label` to a new store.

        Parameters
        ----------
        labelling : Labelling
            Labels of the documents.
        place : path or str
            New SQLite file, or URL of an empty database.
        seed : int, default=None
            Seed of the random samples; drawn at random if None.

        Returns
        -------
        job : Job
            The job.
        """
        store = _store_class()
        from .data import job_data

        return cls(store.create(place, job_data(labelling, seed)))

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<labelferry job: {self.n_documents} documents, {len(self.answers())} answers, {self.store.name}>"

    def certificate(self, level: float = LEVEL) -> Certificate:
        """What the answers prove about the current labels.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        certificate : Certificate
            Intervals that are valid after every answer.
        """
        return self._certify(self.state(), level)

    def _certify(self, state: JobState, level: float) -> Certificate:
        key = (*state.version, level)
        certificate = self._certificates.get(key)
        if certificate is None:
            certificate = certify(
                state.fit.arrays["labels"],
                self._source_only,
                state.fit.arrays["needs_review"],
                self.sample("audit", state),
                self.sample("duel", state),
                classes=self.classes,
                level=level,
                confidence=np.clip(self.store.fit_arrays(FIRST_FIT)["confidence"], 0, 1),  # learned from no answers
                known=state.seen,
            )
            self._certificates = {key: certificate}
        return certificate

    def issue(self, level: float = LEVEL) -> Certificate:
        """The certificate, also written to the store."""
        state = self.state()
        certificate, (fit, last_answer) = self._certify(state, level), state.version
        self.store.add_certificate(certificate.as_dict(), level=level, fit=fit, last_answer=last_answer)
        return certificate

    def progress(self) -> dict[str, Any]:
        """Numbers for people: documents, answers, reviewers, disagreements, answers since the last fit."""
        answers, fit = self.answers(), self.store.fits()[-1]
        learned = set(fit.answers)
        return {
            "documents": self.n_documents,
            "answers": len(answers),
            "answered": len({row.document for row in answers}),
            "reviewers": sorted({row.reviewer for row in answers}),
            "disagreements": len(self.disagreements()),
            "fit": fit.id,
            "new_answers": sum(row.id not in learned for row in answers),
            "needs_review": self.store.counts()["needs_review"],
        }

    def refit(self) -> dict[str, Any]:
        """Learn from the answers and replace the labels.

        Returns
        -------
        summary : dict
            `fit`, `answers`, `changed` (labels that changed), and the accuracy on the answered documents before and
            after: `accuracy_before` and `accuracy_after`, both by fits that did not learn from the document.
            `warning` is a sentence if the labels became worse on them, otherwise empty.
        """
        return refit(self)

    # Lists and files

    def search(self, search: str = "", **filters: Any) -> Page:
        """One page of documents; filters as in `Store.documents`."""
        return self.store.documents(search, **filters)

    def export(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write all documents with all their columns, the labels and the answers.

        Parameters
        ----------
        path : path
            The file; its suffix selects the format.
        spreadsheet : bool, default=False
            Whether cells of a CSV or TSV file that a spreadsheet would run as a formula get an apostrophe.

        Returns
        -------
        messages : list of str
            One message per renamed column.
        """
        return write_labelled(*labelled_table(self), path, spreadsheet=spreadsheet)

    def export_corrections(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write the answers that count with their documents, one row per answer; parameters as in `export`."""
        return write_labelled(*corrections_table(self), path, spreadsheet=spreadsheet)
