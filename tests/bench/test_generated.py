"""Generated documents: parts depend on their number only, and the planted shift is there."""

import numpy as np

from labelferry import EMNaiveBayes
from labelferry.baselines import SourceNB
from labelferry_bench.generated import generate_part, generate_parts, generate_task

SMALL = {"n_words": 5000, "part": 300}


def test_a_part_depends_on_its_number_and_the_seed_only():
    parts = list(generate_parts("target", 700, **SMALL))
    again = generate_part("target", 1, 300, n_words=5000)
    assert [p.X.shape for p in parts] == [(300, 5000), (300, 5000), (100, 5000)]
    assert (parts[1].X != again.X).nnz == 0
    assert (parts[1].y == again.y).all()
    assert (parts[0].X != again.X).nnz > 0
    assert (generate_part("target", 1, 300, n_words=5000, seed=1).X != again.X).nnz > 0


def test_entries():
    X, y = generate_part("source", 0, 2000, n_classes=3)
    assert X.has_canonical_format
    assert X.dtype == np.float32
    assert X.indices.dtype == np.int32
    assert 58 < X.nnz / X.shape[0] < 64
    np.testing.assert_allclose(X.power(2).sum(axis=1), 1, rtol=1e-5)
    counts = generate_part("source", 0, 2000, n_classes=3, weighting="counts").X
    assert (counts.indices == X.indices).all()
    assert (counts.data == np.rint(counts.data)).all()
    assert set(y.tolist()) == {0, 1, 2}


def test_the_target_teaches_its_own_words():
    task = generate_task(4000)
    source_only = (SourceNB().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    transfer = (EMNaiveBayes().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert source_only < 0.9 < 0.97 < transfer
