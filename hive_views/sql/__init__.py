"""SQL texts of a view: dialects and quoting, checks, output columns, tables named, the expanded text. Pure; no I/O."""
