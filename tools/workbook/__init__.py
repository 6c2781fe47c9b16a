"""The workbook's tools: one command per module, called as `python3 tools/workbook COMMAND ...` from the workbook's root.

Python 3.9 and the standard library only, so that a fresh machine needs nothing else. A command's module has main(arguments) -> exit status and
imports the others only where they are needed: a student's command must not wait for code that it does not use.
"""
