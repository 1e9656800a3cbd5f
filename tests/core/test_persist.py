"""Files that users load run no code and say what is wrong with them."""

import contextlib
import json
import pickle
import time
import zipfile
from typing import Annotated, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from labelferry.core import persist
from labelferry.core.archive import Archive
from labelferry.core.registry import estimators
from labelferry.core.saving import to_arrays
from labelferry.linalg.matrix import Array, Matrix
from labelferry.methods import TCL
from labelferry.testing.corpora import small_corpus

from ..estimators import FAMILIES

SMALL = {"n_topics": 3, "max_iter": 5, "random_state": 0}


@pytest.fixture
def model(tmp_path):
    X, _, domain, masked = small_corpus()
    path = tmp_path / "model.npz"
    TCL(n_topics=3, max_iter=5, random_state=0).fit(X, masked, domain).save(path)
    return path


def rewrite(path, change):
    """The file again, with its header changed."""
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    change(header)
    arrays["header"] = np.array(json.dumps(header))
    np.savez(path, **arrays)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("loading ran code from the file",))


def test_a_pickle_in_the_file_is_not_opened(model):
    with np.load(model) as file:
        arrays = dict(file)
    arrays["array1"] = np.array([Bomb()], dtype=object)
    np.savez(model, **arrays)
    with pytest.raises(ValueError, match="array1: it contains Python objects"):
        persist.load(model)


def test_a_plain_pickle_is_not_a_model(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="not a model written by labelferry"):
        persist.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.update(estimator="os.system"), "which is none of"),
        (lambda h: h.update(labelferry=99), "has format 99"),
        (lambda h: h.pop("values"), "not a model written by labelferry"),
        (lambda h: h["values"].update(predict="x"), "has no attribute 'predict'"),
        (lambda h: h["values"].update(__class__="x"), "has no attribute '__class__'"),
        (lambda h: h["values"].update(state_={"kind": "array", "key": "nowhere"}), "damaged"),
        (lambda h: h["values"].update(state_={"kind": "state", "fields": {"no": 1}}), "damaged"),
    ],
)
def test_damaged_files(model, change, message):
    rewrite(model, change)
    with pytest.raises(ValueError, match=message):
        persist.load(model)


def test_truncated_file(model):
    model.write_bytes(model.read_bytes()[:200])
    with pytest.raises(ValueError, match="not a model written by labelferry"):
        persist.load(model)


def test_a_failed_save_leaves_the_old_file(model, monkeypatch):
    before = model.read_bytes()
    est = persist.load(model)

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        est.save(model)
    assert model.read_bytes() == before
    assert [path.name for path in model.parent.iterdir()] == ["model.npz"]


def test_what_cannot_be_saved_is_said(model, tmp_path):
    est = persist.load(model)
    est.random_state = np.random.RandomState(0)
    with pytest.raises(TypeError, match="random_state as an integer"):
        est.save(tmp_path / "other.npz")


def damaged(arrays, header):
    """Files with one thing wrong: (what, arrays, header)."""
    for name, array in arrays.items():
        if array.ndim and array.dtype.kind != "U":
            yield f"{name} without its first row", {**arrays, name: array[1:]}, header
            yield f"{name} with one more dimension", {**arrays, name: array[None]}, header
            yield f"{name} as text", {**arrays, name: array.astype(str)}, header
        if array.dtype.kind == "f":
            yield f"{name} is infinite", {**arrays, name: np.full_like(array, np.inf)}, header
        if array.dtype.kind == "i":
            yield f"{name} too large", {**arrays, name: np.full_like(array, 10**6)}, header
        yield f"{name} is missing", {key: value for key, value in arrays.items() if key != name}, header
    for name in header["values"]:
        for value in (None, "text", -1, [], {"kind": "tuple", "items": []}):
            yield f"{name} is {value}", arrays, {**header, "values": {**header["values"], name: value}}
        yield (
            f"{name} is missing",
            arrays,
            {**header, "values": {k: v for k, v in header["values"].items() if k != name}},
        )


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FAMILIES else pytest.mark.system)
        for name in sorted(set(estimators()) - {"AutoTransfer"})
    ],
)
def test_a_damaged_file_is_one_error_or_gives_the_same_predictions(name, tmp_path):
    X, _, domain, masked = small_corpus()
    parameters = {key: value for key, value in SMALL.items() if key in estimators()[name]().get_params()}
    fitted = estimators()[name](**parameters).fit(X, masked, domain)
    target = next(
        key for key, is_target in zip(fitted.domain_keys_, fitted.domain_is_target_, strict=True) if is_target
    )
    arrays = to_arrays(fitted)
    header = json.loads(str(arrays.pop("header")))
    for what, others, other_header in damaged(arrays, header):
        with contextlib.suppress(ValueError):  # any other error is a failure
            loaded = persist.from_arrays({**others, "header": np.array(json.dumps(other_header))}, "model.npz")
            np.testing.assert_array_equal(loaded.predict(X, target), fitted.predict(X, target), err_msg=what)


def test_members_that_nothing_refers_to_are_not_read(model):
    with zipfile.ZipFile(model, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("unused.npy", b"not an array")
    assert isinstance(persist.load(model), TCL)


@pytest.mark.parametrize("shape", [(10**12,), (2**40, 2**40), (-1,), (3,)])
def test_an_array_whose_shape_does_not_fit_its_size_reserves_no_memory(model, shape):
    with np.load(model) as file:
        arrays = dict(file)
    with zipfile.ZipFile(model, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                header = np.lib.format.header_data_from_array_1_0(array)
                np.lib.format.write_array_header_1_0(
                    member, {**header, "shape": shape if name == "array0" else array.shape}
                )
                member.write(array.tobytes())
    with pytest.raises(ValueError, match="array0: its shape"):
        persist.load(model)


def test_the_memory_of_all_arrays_is_limited(model):
    with pytest.raises(ValueError, match="more than"):
        Archive(model, max_bytes=12_000)


@pytest.mark.parametrize("name", ["array0", "unused"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_bomb_is_refused_by_the_sizes_that_it_declares(model, name):
    with zipfile.ZipFile(model, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(f"{name}.npy", "w") as member:
        shape = (1 << 28,)
        np.lib.format.write_array_header_1_0(member, {"descr": "|u1", "fortran_order": False, "shape": shape})
        for _ in range(shape[0] >> 20):
            member.write(bytes(1 << 20))
    assert model.stat().st_size < 1 << 20
    start = time.process_time()
    with pytest.raises(ValueError, match="200 times its size"):
        persist.load(model)
    assert time.process_time() - start < 0.5  # of 256 MB, nothing is unpacked


def test_an_array_that_is_read_again_and_again_is_refused(model, monkeypatch):
    monkeypatch.setattr("labelferry.core.archive.SMALL", 0)
    rewrite(
        model,
        lambda h: h["values"].update(state_={"kind": "tuple", "items": [{"kind": "array", "key": "array0"}] * 99}),
    )
    with pytest.raises(ValueError, match="more often than they are saved"):
        persist.load(model)


def test_every_array_of_a_state_has_a_shape():
    def arrays_without_shape(hint, name):
        if get_origin(hint) is Annotated:
            return []
        if isinstance(hint, type) and hasattr(hint, "_fields"):
            hints = get_type_hints(hint, include_extras=True)
            return [path for field, part in hints.items() for path in arrays_without_shape(part, f"{name}.{field}")]
        if hint in (Array, Matrix):
            return [name]
        return [path for part in get_args(hint) for path in arrays_without_shape(part, name)]

    without = [path for name, cls in estimators().items() for path in arrays_without_shape(cls.State, name)]
    assert [path for path in without if not path.startswith("AutoTransfer.panel.")] == []  # the panel is not saved
