"""Reads workbooks (xlsx, xls, ods) sheet by sheet."""
