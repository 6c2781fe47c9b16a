"""The modules shared by the lessons in Python: device (backend, command line options), verify, bench."""
