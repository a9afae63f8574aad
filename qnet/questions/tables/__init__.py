"""Reports that need no system: the catalog, the methods, one station in closed form.

Each module is one report.
"""
