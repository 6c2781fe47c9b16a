/* What the driver answers to arguments that tensor maps cannot have, and to the widest that they can. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

/* Prints a line for each: what was changed, and the error's name. */
int print_arguments(void);

#endif
