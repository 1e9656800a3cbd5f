"""Labels of any origin in a column: what `label` gives for its own labels, for those of an LLM, a vendor or rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ...certificate import LEVEL, Certificate
from ...certificate.sampling import N_AUDIT
from ...labelling.column_names import ACCEPTED
from ...tables import Table, from_frame
from ...tables.spreadsheet import read_protected, write_labelled
from .accept_files import usable_of_answers
from .audit import Sample, draw
from .chosen_columns import Chosen
from .filled import certify_sample, read_sample
from .frozen import ERROR, Limit
from .population import Population, population_of_table
from .usable import Usable


@dataclass(frozen=True, eq=False, repr=False)
class LabelColumn:
    """The labels of a column; `read_labels` makes it."""

    table: Table  # all rows of the user's file or frame
    population: Population  # the rows with a label

    def __repr__(self) -> str:
        return f"<labels of {self.table.name}: {len(self.population.texts)} of {len(self.table)} rows>"

    @property
    def messages(self) -> list[str]:
        """What was detected, and what was left out."""
        return [*self.population.messages, *self.population.warnings]

    def audit(self, n: int = N_AUDIT, *, n_duel: int = 0, seed: int | None = None, blind: bool = False) -> Sample:
        """Draw a random sample to be answered by people; see `labelferry.review.sample.audit.draw`."""
        return draw(self.population, n, n_duel=n_duel, seed=seed, blind=blind)

    def certify(self, answers: Any, level: float = LEVEL) -> Certificate:
        """Certify the labels by a sample of `audit` that was filled in: a path, a frame or a dict of columns."""
        return certify_sample(self.population, read_sample(answers, self.population), level)

    def accept(
        self,
        error: float = ERROR,
        answers: Any = None,
        *,
        seed: int | None = None,
        outside: bool = False,
        per_class: bool = False,
    ) -> Usable:
        """Which labels may be used without looking, by answers of people; parameters as in `Result.accept`."""
        classes, n = np.array(self.population.classes, dtype=object), len(self.table)
        return usable_of_answers(
            self.population, answers, n, classes, Limit(float(error), outside, per_class), seed=seed
        )

    def write(self, path: str | PathLike[str], accepted: Usable, *, spreadsheet: bool = False) -> list[str]:
        """Write all columns and the column accepted: "yes" for labels that may be used, "answer" for answered rows."""
        columns = {ACCEPTED: accepted.column()}
        return write_labelled(self.table, columns, path, reserved=[ACCEPTED], spreadsheet=spreadsheet)


def read_labels(
    data: Any,
    column: str,
    *,
    confidence: str | None = None,
    against: str | None = None,
    text: str | Sequence[str] | None = None,
    classes: Sequence[str] = (),
    encoding: str | None = None,
) -> LabelColumn:
    """Read labels of any origin, such as those of an LLM, to certify them by the answers of people.

    Parameters
    ----------
    data : path or data frame
        The documents with their labels. Rows without a label in the column are left out.
    column : str
        Column of the labels.
    confidence : str, default=None
        Column of their confidences, from 0 to 1, which `accept` needs; None: `<column>_confidence` if there is one.
    against : str, default=None
        Column of other labels. The certificate then says which of the two are correct more often.
    text : str or sequence of str, default=None
        Text column, or several that are joined; detected if None.
    classes : sequence of str, default=()
        Classes that occur in no label.
    encoding : str, default=None
        Encoding of a file that is not UTF-8; detected if None.

    Returns
    -------
    labels : LabelColumn
        The labels, with `audit`, `certify`, `accept` and `write`.
    """
    is_file = isinstance(data, str | PathLike)
    table = read_protected(data, encoding=encoding) if is_file else from_frame(data, name="the data frame")
    chosen = Chosen(column, confidence, against)
    return LabelColumn(table, population_of_table(table, text=text, classes=classes, chosen=chosen))
