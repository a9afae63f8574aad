"""Single stations: one family of queues per file, one answer type, one table of names."""
