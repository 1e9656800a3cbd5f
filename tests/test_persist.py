"""Files that users load run no code and say what is wrong with them."""

import json
import pickle

import numpy as np
import pytest

from labelferry.core import persist
from labelferry.core.checks import small_corpus
from labelferry.methods import TCL


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
    with pytest.raises(ValueError, match="not a model written by labelferry"):
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
