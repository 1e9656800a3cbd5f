"""One file per table: its title, tasks, printed numbers, methods, seeds and remarks as one `Table` named `TABLE`.

To add a table, add a file here. `labelferry_bench.papers.tasks` finds it and sorts the tables by `Table.position`.

What all tables share: tf-idf is (1 + log tf) idf with rows of unit length. min_df counts the documents of the task
unless a table states otherwise.

Departures
----------
- Headers of articles are removed, words consist of letters only and are not stemmed, the stop words are those of
  scikit-learn. No paper publishes its vocabulary.
- Departures of one table are in its file.
"""
