"""What is kept with published partitions."""
