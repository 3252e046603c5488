"""Everything comes out again: tables, references, judgments, the whole project."""
