"""Where rankers are judged: values per list are averaged here, and only here."""
