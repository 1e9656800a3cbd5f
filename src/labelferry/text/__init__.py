"""From users' files to texts, and from texts to matrices. Knows nothing of methods or corpora."""

from .clean import clean, strip_headers, strip_html, strip_quotes, strip_signature
from .frames import from_frame, to_frame
from .guess import Columns, check_labels, choose_columns, choose_text
from .lines import BadRow
from .persist import vectorizer_from, vectorizer_state
from .tables import Table, from_texts, is_table_file, read_table, with_labels, with_texts
from .vectorize import tfidf, tfidf_vectorizer
from .write import check_place, format_of, with_columns, write_table

__all__ = [
    "BadRow",
    "Columns",
    "Table",
    "check_labels",
    "check_place",
    "choose_columns",
    "choose_text",
    "clean",
    "format_of",
    "from_frame",
    "from_texts",
    "is_table_file",
    "read_table",
    "strip_headers",
    "strip_html",
    "strip_quotes",
    "strip_signature",
    "tfidf",
    "tfidf_vectorizer",
    "to_frame",
    "vectorizer_from",
    "vectorizer_state",
    "with_columns",
    "with_labels",
    "with_texts",
    "write_table",
]
