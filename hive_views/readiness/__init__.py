"""When a partition is ready: conditions, matching, rules, evidence, reasons. Pure."""
