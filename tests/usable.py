"""Labels to use: what the tests of all doors share."""

import numpy as np
from typer.testing import CliRunner

from labelferry.certificate.sampling import no_answers
from labelferry.cli import app
from labelferry.review.sample.population import Population, Ranking
from labelferry.tables.row_index import RowIndex
from tests.tickets import demo, read_csv, write_csv

SEED = 11
TRUTH = demo().y_target.tolist()
N = len(TRUTH)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def error_of(*arguments):
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    return line


def fill(path, answers=TRUTH):
    """Fill in a sample; `answers` by row of the file."""
    columns = read_csv(path)
    write_csv(path, {**columns, "answer": [answers[int(row) - 1] for row in columns["row"]]})
    return path


def same(a, b):
    """Whether two doors have the same ladder, the same set and the same claim."""
    for name in ("labels", "ranks", "p_wrong"):
        assert getattr(a.frozen, name).tolist() == getattr(b.frozen, name).tolist()
    assert a.frozen.rows.rows.tolist() == b.frozen.rows.rows.tolist()
    assert a.ladder.key == b.ladder.key
    assert a.ladder.order.tolist() == b.ladder.order.tolist()
    assert (a.ladder.start, a.ladder.sizes) == (b.ladder.start, b.ladder.sizes)
    assert a.rows.tolist() == b.rows.tolist()
    assert a.column() == b.column()
    assert a.as_dict() == b.as_dict()
    return True


def population(wrong):
    """Labels of which these are wrong, ranked by row."""
    n, nothing = len(wrong), np.zeros(len(wrong), dtype=int)
    ranking = Ranking(np.arange(1, n + 1), np.full(n, 0.95))
    rows = RowIndex(np.arange(n), n)
    return Population("x", [""] * n, rows, nothing, None, wrong, None, ["a", "b"], no_answers(), ranking=ranking)
