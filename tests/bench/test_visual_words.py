import sys

import numpy as np
import pytest

from labelferry_bench.datasets.visual_words import visual_words


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """Ten drawings: five of circles, five of crosses, at random places; one blank image."""
    cv2 = pytest.importorskip("cv2", reason="needs the extra images")
    folder, rng = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    paths = []
    for number in range(10):
        sheet = np.full((240, 320), 255, dtype=np.uint8)
        for x, y in rng.integers(30, 210, size=(12, 2)):
            if number < 5:
                cv2.circle(sheet, (int(x), int(y)), 12, 0, -1)
            else:
                cv2.line(sheet, (int(x) - 12, int(y)), (int(x) + 12, int(y)), 0, 3)
                cv2.line(sheet, (int(x), int(y) - 12), (int(x), int(y) + 12), 0, 3)
        paths.append(folder / f"{number}.png")
        cv2.imwrite(str(paths[-1]), sheet)
    cv2.imwrite(str(folder / "blank.png"), np.full((240, 320), 255, dtype=np.uint8))
    return [*paths, folder / "blank.png"]


def test_similar_images_have_similar_words(images):
    counts = visual_words(images, n_words=20, random_state=0).toarray()
    assert counts.shape == (11, 20)
    assert (counts[:10].sum(axis=1) > 0).all()
    assert counts[10].sum() == 0
    unit = counts[:10] / np.linalg.norm(counts[:10], axis=1, keepdims=True)
    cosines = unit @ unit.T
    kinds = np.arange(10) < 5
    same_kind = kinds[:, None] == kinds
    assert cosines[same_kind].mean() > cosines[~same_kind].mean() + 0.2
    assert (visual_words(images, n_words=20, random_state=0).toarray() == counts).all()


def test_limits(images):
    assert visual_words(images[:2], n_words=4, max_descriptors=7, random_state=0).sum(axis=1).max() <= 7
    small = visual_words(images, n_words=4, max_side=60, random_state=0).sum()
    assert small < visual_words(images, n_words=4, random_state=0).sum()


def test_errors(images, tmp_path):
    with pytest.raises(ValueError, match="n_words must be at most the number of descriptors, 0; got 800"):
        visual_words(images[-1:])
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(ValueError, match=r"text\.png is missing, or not an image"):
        visual_words([tmp_path / "text.png"])


def test_without_opencv(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ImportError, match=r'pip install "bench\[images\]"'):
        visual_words(["x.jpg"])
