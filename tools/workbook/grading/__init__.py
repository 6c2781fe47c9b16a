"""How one file is graded, up to the judge and after it: the copy, the jail, the compiler, the results. tools/grading has the judges and their runners."""
