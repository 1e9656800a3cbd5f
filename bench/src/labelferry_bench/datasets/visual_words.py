"""From images to counts of visual words, which the methods use like counts of words.

An image is a bag of its SIFT descriptors (Lowe 2004); k-means of the descriptors of all images gives the visual words
(Sivic and Zisserman 2003, Csurka et al. 2004). OpenCV is needed: the extra `images`.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

import numpy as np
import scipy.sparse as sp


def visual_words(
    paths: Iterable[str | PathLike[str]],
    n_words: int = 800,
    *,
    max_side: int = 480,
    max_descriptors: int = 500,
    random_state: int | None = None,
) -> Any:
    """Count the visual words of images.

    Pass the images of all domains in one call, so that they have the same words. An image without descriptors, such as
    an empty sky, is an empty row.
    """
    from sklearn.cluster import MiniBatchKMeans

    bags = [describe(path, max_side, max_descriptors) for path in paths]
    image = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    if len(image) < n_words:
        raise ValueError(
            f"n_words must be at most the number of descriptors, {len(image)}; got {n_words}. "
            "Lower n_words or pass more images."
        )
    words = MiniBatchKMeans(n_words, batch_size=4096, n_init=1, random_state=random_state)
    columns = words.fit_predict(np.concatenate(bags))
    counts = sp.coo_array((np.ones(len(image)), (image, columns)), shape=(len(bags), n_words)).tocsr()
    counts.sum_duplicates()
    return counts


def describe(path: str | PathLike[str], max_side: int, max_descriptors: int) -> np.ndarray:
    """The SIFT descriptors of an image, points x 128."""
    try:
        import cv2
    except ImportError as error:
        raise ImportError('visual_words needs OpenCV: pip install "bench[images]" in a clone of labelferry.') from error

    picture = cv2.imread(fspath(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise ValueError(f"{path} is missing, or not an image that OpenCV can read.")
    scale = max_side / max(picture.shape)
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, descriptors = cv2.SIFT_create(nfeatures=max_descriptors).detectAndCompute(picture, None)
    return np.empty((0, 128), dtype=np.float32) if descriptors is None else descriptors[:max_descriptors]
