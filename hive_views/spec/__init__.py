"""The Iceberg view spec as pure functions: identifiers, schemas, metadata models, update rules, JSON and file names."""
