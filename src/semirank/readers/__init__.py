"""From files to datasets and back: LETOR text, tables, TREC files and named public data."""
