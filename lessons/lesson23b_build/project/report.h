/* report.h - the last line of the program. */
#ifndef REPORT_H
#define REPORT_H

/* Prints PASS or FAIL, and how many numbers there were; returns the exit status. */
int report(bool good, int n);

#endif
