"""When a partition of a view is ready to be declared, and declaring those that are."""
