"""A fitted vectorizer as plain arrays and JSON, and back. Nothing in the state is executed.

Words are stored as UTF-8 bytes and the positions where they end: in an array of strings every word would need as much
memory as the longest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from .languages import Stems
from .sklearn_private import check_parameters, set_weights
from .vectorize import MixedAnalyzer

FORMAT = 1
PLAIN = (  # parameters of TfidfVectorizer that JSON can represent
    *("analyzer", "binary", "decode_error", "encoding", "lowercase", "max_df", "max_features", "min_df", "norm"),
    *("smooth_idf", "strip_accents", "sublinear_tf", "token_pattern", "use_idf"),
)
CODED = ("dtype", "ngram_range", "stop_words", "tokenizer")  # parameters that are converted for JSON
WEIGHTS = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
DTYPES = {"float32": np.float32, "float64": np.float64}


def vectorizer_state(vectorizer: TfidfVectorizer) -> dict[str, np.ndarray]:
    """Convert a fitted TfidfVectorizer to arrays.

    Parameters
    ----------
    vectorizer : TfidfVectorizer
        The fitted vectorizer.

    Returns
    -------
    state : dict of str to array
        `settings` (JSON), `words`, `ends` and, if the vectorizer has weights, `idf`.
    """
    check_is_fitted(vectorizer, "vocabulary_")
    words = [word.encode("utf-8", "surrogatepass") for word in vectorizer.get_feature_names_out().tolist()]
    state = {
        "settings": np.array(json.dumps({"format": FORMAT, **settings_of(vectorizer)})),
        "words": np.frombuffer(b"".join(words), dtype=np.uint8),
        "ends": np.cumsum([len(word) for word in words], dtype=np.int64),
    }
    if vectorizer.use_idf:
        state["idf"] = np.array(vectorizer.idf_)
    return state


def vectorizer_from(state: Mapping[str, np.ndarray]) -> TfidfVectorizer:
    """Rebuild a vectorizer from its state: same settings, same columns, same numbers.

    Parameters
    ----------
    state : dict of str to array
        What `vectorizer_state` returned.

    Returns
    -------
    vectorizer : TfidfVectorizer
        The fitted vectorizer.
    """
    try:
        settings = json.loads(str(state["settings"]))
        if settings.pop("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        vectorizer = TfidfVectorizer(**parameters_of(settings))
        words = words_of(state["words"], state["ends"])
        if vectorizer.use_idf:
            idf = np.asarray(state["idf"])
            if idf.shape != (len(words),) or idf.dtype.name not in DTYPES:
                raise ValueError(f"it has {len(words)} words and idf of shape {idf.shape}, {idf.dtype}")
            if not np.isfinite(idf).all() or idf.min() <= 0:
                raise ValueError("its idf must be finite numbers above 0")
        check_parameters(vectorizer)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = " ".join(str(error).split())
        raise ValueError(f"this is not the state of a vectorizer ({what}). Make it with vectorizer_state().") from None
    return with_vocabulary(vectorizer, words, idf if vectorizer.use_idf else None)


def with_vocabulary(vectorizer: TfidfVectorizer, words: Sequence[str], idf: np.ndarray | None) -> TfidfVectorizer:
    """Set what `fit` sets: the columns of the words, and the transformer with their weights."""
    vectorizer.vocabulary_ = {word: column for column, word in enumerate(words)}
    vectorizer.fixed_vocabulary_ = False
    weights = TfidfTransformer(**{name: getattr(vectorizer, name) for name in WEIGHTS})
    weights.n_features_in_ = len(words)
    if idf is not None:
        weights.idf_ = idf
    set_weights(vectorizer, weights)
    return vectorizer


def settings_of(vectorizer: TfidfVectorizer) -> dict[str, Any]:
    """The parameters in a form that JSON can represent."""
    params = vectorizer.get_params(deep=False)
    tokenizer, words, dtype = params["tokenizer"], params["stop_words"], np.dtype(params["dtype"]).name
    for name in ("preprocessor", "analyzer", "tokenizer"):
        if callable(params[name]) and not isinstance(params[name], Stems | MixedAnalyzer):
            raise ValueError(f"{name} is a function of your own, which cannot be saved without pickle. Pass None.")
    if params["input"] != "content":
        raise ValueError(f"input must be 'content' to be saved; got {params['input']!r}. Read the files first.")
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be float32 or float64 to be saved; got {dtype}. Fit again with one of them.")
    settings = {name: params[name].item() if isinstance(params[name], np.generic) else params[name] for name in PLAIN}
    if isinstance(analyzer := params["analyzer"], MixedAnalyzer):
        settings["analyzer"] = [analyzer.pattern, analyzer.ngrams, list(analyzer.stop_words)]
    settings["dtype"] = dtype
    settings["ngram_range"] = list(params["ngram_range"])
    settings["stop_words"] = words if words is None or isinstance(words, str) else sorted(words)
    settings["tokenizer"] = None
    if isinstance(tokenizer, Stems):
        settings["tokenizer"] = [tokenizer.language, tokenizer.pattern, sorted(tokenizer.stop_words)]
    return settings


def parameters_of(settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters from which these settings were made. Unknown or missing settings are an error."""
    mismatches = settings.keys() ^ {*PLAIN, *CODED}
    if mismatches:
        raise ValueError(f"settings missing or unknown: {', '.join(sorted(mismatches))}")
    parameters = dict(settings)
    stop = settings["stop_words"]
    if not (stop is None or isinstance(stop, str) or all(isinstance(word, str) for word in stop)):
        raise ValueError("its stop_words must be texts")
    if settings["analyzer"] == "word" and settings["tokenizer"] is None and settings["token_pattern"] is None:
        raise ValueError("its token_pattern must be a text")
    parameters["dtype"] = DTYPES[settings["dtype"]]
    parameters["ngram_range"] = tuple(settings["ngram_range"])
    if isinstance(settings["analyzer"], list):
        pattern, ngrams, words = settings["analyzer"]
        parameters["analyzer"] = MixedAnalyzer(str(pattern), int(ngrams), tuple(str(word) for word in words))
    if settings["tokenizer"] is not None:
        language, pattern, words = settings["tokenizer"]
        parameters["tokenizer"] = Stems.of(str(language), str(pattern), [str(word) for word in words])
    return parameters


def words_of(encoded: np.ndarray, ends: np.ndarray) -> list[str]:
    """The words, from their bytes and the positions where they end."""
    ends = np.asarray(ends)
    if ends.ndim != 1 or ends.dtype.kind not in "iu" or (np.diff(ends, prepend=0) <= 0).any():
        raise ValueError("the ends of its words must be integers that increase")
    if encoded.dtype != np.uint8:
        raise ValueError(f"its words must be bytes; they are {encoded.dtype}")
    data, stops = encoded.tobytes(), ends.tolist()
    starts = [0, *stops[:-1]]
    words = [data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, stops, strict=True)]
    if not words or len(set(words)) < len(words) or stops[-1] != len(data):
        raise ValueError("its words are damaged")
    return words
