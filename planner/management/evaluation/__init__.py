"""Measures the rules against files of example rows, one module per kind of file."""
