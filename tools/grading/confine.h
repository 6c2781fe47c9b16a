/* confine.h - the privileges that the runner drops before it loads the student's object. */
#ifndef TOOLS_GRADING_CONFINE_H
#define TOOLS_GRADING_CONFINE_H

/* The memory limits that apply on the emulator. They are set before it is loaded, since it reserves an address range that fits them. */
void limit_memory(void);

/* For the rest of this process: limits, and no system call that reaches another process, the network or, on the emulator, a file for
 * writing. Where the kernel supports less, it applies less without a message. */
void confine(int on_emulator, int seconds);

/* The same for a process that starts compilers and writes their output, as Triton does. Bubblewrap has to confine its children and its writes. */
void confine_with_compilers(int on_emulator, int seconds);

/* confine for a process that forks workers, which are confined as well. They may not execute a program. */
void confine_with_processes(int on_emulator, int seconds);

#endif
