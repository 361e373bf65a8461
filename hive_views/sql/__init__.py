"""SQL texts of a view: dialects, quoting, checks, columns, tables named, expanded text, statements. Pure; no I/O."""
