"""Networks in which something may be full: stations with so many places, and buffers that work left behind frees."""
