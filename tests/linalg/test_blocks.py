"""Blocks: every operation equals that of CSR, for any blocks, factors, rows and columns; estimators do not notice."""

import json
import tracemalloc
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import labelferry
from labelferry import Blocks, open_blocks, write_blocks
from labelferry.core import ordering
from labelferry.families import linear
from labelferry.families.blocked_logistic import BlockedLogistic
from labelferry.linalg.backends import Threads, TreeSum, tree_sum
from labelferry.linalg.block_files import HEADER
from labelferry.linalg.entries import apply, every
from labelferry.linalg.matrix import (
    as_like_blocks,
    empty_rows,
    has_negative,
    map_reduce,
    squared_norm,
    stack_rows,
    take_columns,
    to_csr,
    word_counts,
)
from labelferry.linalg.normalize import (
    normalize_rows_l2,
    row_norms,
    scale_columns,
    scale_rows,
    unit_norm,
    unit_projections,
)
from labelferry_bench.generated import generate_task

close = partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-12)


@st.composite
def matrices(draw):
    """A sparse matrix, the same as blocks, and random numbers."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = sp.csr_array(rng.integers(0, 3, (n, m)) * rng.random((n, m)))
    return X, Blocks.of(X, block_rows=draw(st.integers(1, n)), backend=Threads(draw(st.integers(1, 3)))), rng


@given(matrices())
@settings(max_examples=60, deadline=None)
def test_operations_equal_those_of_csr(case):
    X, Z, rng = case
    n, m = X.shape
    mask, columns = rng.random(n) < 0.6, rng.random(m) < 0.7
    anyhow = rng.integers(0, n, rng.integers(1, 2 * n))
    start = int(rng.integers(0, n))
    pairs = [
        (X, Z),
        (X[mask], Z[mask]),
        (X[np.flatnonzero(mask)], Z[np.flatnonzero(mask)]),
        (X[mask][start:], Z[mask][start:]),
        (X[start:][: n // 2], Z[start:][: n // 2]),
        (X[anyhow], Z[anyhow]),
        (X[:0], Z[:0]),
        (take_columns(X, columns), take_columns(Z, columns)),
        (X.astype(np.float32), Z.astype(np.float32)),
    ]
    factors = rng.random(n), rng.random(m)
    scaled = [scale_columns(scale_rows(A, factors[0]), factors[1]) for A in (X, Z)]
    pairs += [tuple(scaled), tuple(A[mask] for A in scaled), tuple(take_columns(A, columns) for A in scaled)]
    pairs += [tuple(scale_columns(take_columns(A, columns), factors[1][columns]) for A in (X, Z))]
    pairs += [tuple(apply(A, np.sqrt)[mask] for A in (X, Z)), tuple(normalize_rows_l2(A) for A in scaled)]
    pairs += [tuple(stack_rows([A, scale_columns(A, factors[1])]) for A in (X, Z)), tuple(map(unit_norm, (X, Z)))]
    for S, R in pairs:
        assert (R.shape, R.dtype) == (S.shape, S.dtype)
        rtol = 1e-5 if S.dtype == np.float32 else 1e-10
        same = partial(np.testing.assert_allclose, rtol=rtol, atol=rtol)
        B, V, a = (rng.random(shape).astype(S.dtype) for shape in ((S.shape[1], 2), (S.shape[0], 3), S.shape[0]))
        same(R @ B, S @ B)
        same(R @ B[:, 0], S @ B[:, 0])
        same(R.T @ V, S.T @ V)
        same(R.T @ a, S.T @ a)
        same(sp.csr_array(V.T) @ R, V.T @ S.toarray())
        same(R.to_csr().toarray(), S.toarray())
        same(to_csr(R).toarray(), S.toarray())
        same(squared_norm(R), squared_norm(S))
        same(row_norms(R), row_norms(S))
        np.testing.assert_allclose(unit_projections(R, B.T), unit_projections(S, B.T), rtol=1e-5)
        assert (empty_rows(R) == empty_rows(S)).all()
        assert (word_counts(R) == word_counts(S)).all()
        assert has_negative(R) == has_negative(S)


def test_nothing_is_copied_and_nothing_changes():
    X = sp.random_array((100, 7), density=0.5, format="csr", rng=0)
    before = X.copy()
    Z = Blocks.of(X, block_rows=30)
    assert all(np.shares_memory(part.block.data, X.data) for part in Z.parts)
    normalize_rows_l2(scale_columns(Z, np.arange(7.0)))[10:60].to_csr().data[:] = 0
    assert (before != X).nnz == 0


def test_projections_in_double_precision_are_never_all_in_memory():
    X = sp.random_array((20_000, 50), density=0.1, format="csr", rng=0)
    axes = np.random.default_rng(0).standard_normal((40, 50))
    Z = unit_projections(X, axes)
    assert Z.dtype == np.float32
    close(np.linalg.norm(Z[~empty_rows(X)], axis=1), 1, rtol=1e-5)
    blocks = Blocks.of(X, block_rows=500, backend=Threads(1))
    tracemalloc.start()
    unit_projections(blocks, axes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * Z.nbytes, "the blocks and their stack in single precision"


def test_a_pass_gives_rows_and_sums_for_any_matrix():
    X = sp.random_array((50, 7), density=0.5, format="csr", rng=0)
    V = np.arange(50.0)[:, None]
    for A in (X, X.toarray(), Blocks.of(X, block_rows=8)):
        rows, (total, n) = map_reduce(rows_and_sums, A, V, shared=(2.0,))
        close(rows, X @ np.ones((7, 1)) + 2 * V)
        close(total, X.T @ V)
        assert n == 50


def rows_and_sums(X, V, factor):
    return X @ np.ones((7, 1)) + factor * V, (X.T @ V, X.shape[0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.sampled_from([2, 4, 8]))
def test_sums_of_groups_are_the_same_bit_by_bit(terms, group):
    groups = [tree_sum([(t,) for t in terms[i : i + group]]) for i in range(0, len(terms), group)]
    assert tree_sum(groups) == tree_sum([(t,) for t in terms])


def test_few_partial_sums_are_kept():
    total = TreeSum()
    for term in range(1000):
        total.add((term,))
        assert len(total.partial) <= 10
    assert total.value() == (499500,)


def test_the_result_does_not_depend_on_threads():
    X = sp.random_array((1000, 50), density=0.2, format="csr", rng=0, dtype=np.float32)
    V = np.random.default_rng(0).random((1000, 3), dtype=np.float32)
    products = [Blocks.of(X, block_rows=7, backend=Threads(n)).T @ V for n in (1, 2, 5)]
    assert (products[0] == products[1]).all()
    assert (products[0] == products[2]).all()


def test_predicates_and_mixed_types():
    X = sp.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    assert every(Blocks.of(X), np.isfinite)
    assert not every(Blocks.of(X), lambda x: x < 3)
    mixed = as_like_blocks([Blocks.of(X.astype(np.float32)), X.toarray()])
    assert [A.dtype for A in mixed] == [np.float64, np.float64]
    close(stack_rows(mixed).to_csr().toarray(), np.vstack([X.toarray()] * 2))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda Z: Z @ np.ones(3), "must have 2 rows"),
        (lambda Z: Z[0], "several rows"),
        (lambda Z: Z[[0], [0]], r"X\[:, columns\]"),
        (lambda Z: Z[:, [0, 0]], "once"),
        (lambda Z: apply(scale_rows(Z, np.ones(2)), np.sqrt), "before"),
        (lambda Z: Z.stack([Blocks.of(np.ones((2, 3)))]), "same columns"),
        (lambda Z: Blocks.of([np.ones((2, 3)), np.ones((2, 2))]), "same columns"),
    ],
)
def test_mistakes(wrong, message):
    with pytest.raises((ValueError, IndexError), match=message):
        wrong(Blocks.of(np.eye(2)))


# -- files ------------------------------------------------------------------------------------------------------------
def test_round_trip(tmp_path):
    X = sp.random_array((100, 7), density=0.3, format="csr", rng=0)
    Z = write_blocks(tmp_path / "a", (X[i : i + 45] for i in range(0, 100, 45)), block_rows=30, dtype=np.float32)
    assert [part.n_rows for part in Z.parts] == [30, 15, 30, 15, 10]
    again = open_blocks(tmp_path / "a")
    assert (again.to_csr() != X.astype(np.float32)).nnz == 0
    assert not again.parts[0].block.open().data.flags.writeable


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / HEADER).unlink(), "no complete blocks"),
        (lambda folder: (folder / HEADER).write_text("{"), "damaged"),
        (lambda folder: (folder / "00001.data.npy").unlink(), "block 1 .* 00001.data.npy cannot be read"),
        (lambda folder: (folder / "00001.data.npy").write_bytes(b""), "block 1 .* damaged"),
        (lambda folder: truncate(folder / "00001.indices.npy"), "block 1 .* damaged"),
        (lambda folder: np.save(folder / "00000.indptr.npy", np.arange(3)), "block 0 .* another size"),
        (lambda folder: np.save(folder / "00000.data.npy", np.array([None] * 9)), "block 0 .* damaged"),
        (lambda folder: change(folder, "dtype", "object"), "damaged"),
        (lambda folder: change(folder, "blocks", []), "damaged"),
        (lambda folder: change(folder, "blocks", None), "damaged"),
        (lambda folder: change(folder, "format", 7), "format 7"),
    ],
)
def test_damaged_folders(tmp_path, damage, message):
    X = sp.csr_array(np.ones((20, 3)))
    write_blocks(tmp_path / "a", [X], block_rows=10)
    damage(tmp_path / "a")
    with pytest.raises((OSError, ValueError), match=message):
        open_blocks(tmp_path / "a")


def truncate(path):
    path.write_bytes(path.read_bytes()[:-4])


def change(folder, key, value):
    header = json.loads((folder / HEADER).read_text())
    (folder / HEADER).write_text(json.dumps({**header, key: value}))


def test_wrong_columns_in_a_file_are_found_before_they_are_used(tmp_path):
    write_blocks(tmp_path / "a", [np.ones((20, 3))])
    np.save(tmp_path / "a/00000.indices.npy", np.full(60, 9, dtype=np.int32))
    with pytest.raises(ValueError, match="indices must be < 3"):
        labelferry.SourceNB().transfer(open_blocks(tmp_path / "a"), [0, 1] * 10, np.ones((2, 3)))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_write_leaves_nothing(tmp_path, error):
    def broken():
        yield np.ones((2, 3))
        raise error

    (tmp_path / "empty").mkdir()
    for name, is_left in (("new", False), ("empty", True)):
        with pytest.raises(error):
            write_blocks(tmp_path / name, broken())
        assert (tmp_path / name).exists() == is_left
        write_blocks(tmp_path / name, [np.ones((2, 3))])


def test_an_incomplete_folder_is_not_opened_and_a_full_one_is_not_overwritten(tmp_path):
    write_blocks(tmp_path / "a", [np.ones((2, 3))])
    (tmp_path / "a" / HEADER).unlink()
    with pytest.raises(FileNotFoundError, match="no complete blocks"):
        open_blocks(tmp_path / "a")
    with pytest.raises(FileExistsError, match="not empty"):
        write_blocks(tmp_path / "a", [np.ones((2, 3))])
    with pytest.raises(ValueError, match="no documents"):
        write_blocks(tmp_path / "b", [])


# -- estimators -------------------------------------------------------------------------------------------------------
ESTIMATORS = {
    "EMNaiveBayes": {"class_prior": "estimate"},
    "SourceNB": {},
    "SourceLR": {"C": 10.0},
    "TCL": {"max_iter": 20, "random_state": 0},
    "NMTF": {"max_iter": 20, "random_state": 0},
    "GCMF": {"word_smoothness": 0.0, "doc_smoothness": 0.0, "n_topics": 8, "max_iter": 10, "random_state": 0},
    "HybridLabelPropagation": {},
    "HybridSimilarityPropagation": {},
    "CDSC": {"random_state": 0},
}


@pytest.fixture(scope="module")
def task():
    return generate_task(600, part=300, n_words=2000, dtype=np.float64)


@pytest.fixture(scope="module")
def counts():
    return generate_task(400, part=200, n_words=2000, dtype=np.float64, weighting="counts")


@pytest.fixture
def _exact_start(monkeypatch):
    """Both solvers of logistic regression end so near to the optimum that their solutions are equal; no order."""
    monkeypatch.setattr(linear, "TOL", 1e-9)
    monkeypatch.setattr(ordering, "MAX_SORTED", 0)  # blocks are never sorted


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.usefixtures("_exact_start")
def test_an_estimator_gives_the_same_on_blocks(name, task, tmp_path):
    make = partial(getattr(labelferry, name), **ESTIMATORS[name])
    memory = make()
    memory.transfer(task.Xs, task.ys, task.Xt)
    Xs, Xt = Blocks.of(task.Xs, block_rows=70), write_blocks(tmp_path / "t", [task.Xt], block_rows=110)
    model = make()
    assert (model.transfer(Xs, task.ys, Xt) == memory.transduction_).all()
    close(model.transduction_proba_, memory.transduction_proba_, atol=1e-6)
    close(model.predict_proba(Xt[50:90]), memory.predict_proba(task.Xt[50:90]), atol=1e-6)
    close(memory.predict_proba(Xt[50:90]), model.predict_proba(task.Xt[50:90]), atol=1e-6)
    assert model.score(Xt, task.yt) == memory.score(task.Xt, task.yt)
    model.save(tmp_path / "model.npz")
    assert (labelferry.load(tmp_path / "model.npz").transduction_ == model.transduction_).all()


@pytest.mark.parametrize("name", ["TCL", "EMNaiveBayes", "HybridLabelPropagation", "CDSC", "SourceLR"])
@pytest.mark.usefixtures("_exact_start")
def test_mixed_rows_empty_documents_known_target_labels_and_a_prior(name, counts):
    rng = np.random.default_rng(0)
    X = sp.vstack([counts.Xs, counts.Xt], format="csr")
    X = sp.csr_array(sp.diags_array((rng.random(400) < 0.95).astype(float)) @ X)  # some documents without words
    X.eliminate_zeros()
    y, domain = np.concatenate([counts.ys, counts.yt]), np.repeat([1, -1], 200)
    order = rng.permutation(400)
    X, y, domain = sp.csr_array(X[order]), y[order], domain[order]
    y = np.where((domain < 0) & (rng.random(400) < 0.9), -1, y)
    settings = {**ESTIMATORS[name], "class_prior": [0.6, 0.4]}
    fits = []
    for A in (X, Blocks.of(X, block_rows=37)):
        fits.append(getattr(labelferry, name)(**settings).fit(A, y, domain, use_target_labels=True))
    assert fits[0].transduction_empty_.any()
    assert (fits[0].transduction_ == fits[1].transduction_).all()
    close(fits[0].transduction_proba_, fits[1].transduction_proba_, atol=1e-5)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, -1.0]] * 4), "entries below 0, the smallest -1"),
        (np.array([[1.0, np.nan]] * 4), "NaN or infinity"),
        (np.array([[1.0, 1e20]] * 4), "largest entry of X"),
    ],
)
def test_bad_entries_are_found(X, message):
    with pytest.raises(ValueError, match=message):
        labelferry.EMNaiveBayes().transfer(Blocks.of(X, block_rows=3), [0, 1, 0, 1], Blocks.of(np.ones((2, 2))))


def test_negligible_entries_are_dropped():
    X = np.array([[1.0, 1e-40, 0], [0, 1, 1]] * 4)
    models = [labelferry.SourceNB() for _ in range(2)]
    labels = [m.transfer(A, [0, 1] * 4, X) for m, A in zip(models, (X, Blocks.of(X, block_rows=3)), strict=True)]
    assert (labels[0] == labels[1]).all()
    close(models[0].state_.coef, models[1].state_.coef)


def test_wrong_number_of_words():
    model = labelferry.SourceNB().fit(Blocks.of(np.ones((4, 3))), [0, 1, -1, -1])
    with pytest.raises(ValueError, match="2 features"):
        model.predict(Blocks.of(np.ones((1, 2))))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_regression_is_that_of_scikit_learn(n_classes):
    X, y = generate_task(400, part=200, n_words=300, n_classes=n_classes, dtype=np.float64)[:2]
    weight = np.random.default_rng(0).random(len(y))
    theirs = LogisticRegression(C=10, tol=1e-9, max_iter=5000).fit(X, y, weight)
    ours = BlockedLogistic(C=10, tol=1e-9, max_iter=5000).fit(Blocks.of(X, block_rows=60), y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_a_sample():
    X = sp.random_array((1000, 7), density=0.3, format="csr", rng=0)
    number, S = Blocks.of(X, block_rows=90).sample(50, np.random.default_rng(0))
    assert (np.diff(number) > 0).all()
    assert (X[number] != S).nnz == 0
    assert Blocks.of(X).sample(2000, np.random.default_rng(0))[1].shape == X.shape


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (labelferry.SourceSVM(), "SourceSVM needs all documents in one matrix"),
        (labelferry.GCMF(), "graphs of GCMF need all documents"),
    ],
)
def test_a_method_that_needs_one_matrix_says_so(task, model, message):
    with pytest.raises(ValueError, match=message):
        model.transfer(Blocks.of(task.Xs), task.ys, Blocks.of(task.Xt))


def test_proportions_are_estimated_on_a_sample(task, monkeypatch):
    make = partial(labelferry.SourceNB, class_prior="estimate")
    fits = [make(), make(), make()]
    fits[0].transfer(task.Xs, task.ys, task.Xt)
    fits[1].transfer(Blocks.of(task.Xs), task.ys, Blocks.of(task.Xt))
    close(fits[1].class_prior_, fits[0].class_prior_)
    monkeypatch.setattr(labelferry.core.proportions, "_SAMPLE", 200)
    fits[2].transfer(Blocks.of(task.Xs), task.ys, Blocks.of(task.Xt))
    np.testing.assert_allclose(fits[2].class_prior_, fits[0].class_prior_, atol=0.15)
