"""One review job in a database: documents, labels, answers of people, fits and certificates.

SQLite files and PostgreSQL servers through SQLAlchemy Core. Answers are a log to which rows are only added. Nothing
that is read from a store is executed: values are text, numbers, JSON and arrays without pickle.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
