/* confine.h - what the runner gives up before it loads the student's object. */
#ifndef TOOLS_GRADING_CONFINE_H
#define TOOLS_GRADING_CONFINE_H

/* The limits of memory that hold on the emulator. They are set before it is loaded: it reserves a range of addresses that fits them. */
void limit_memory(void);

/* For the rest of this process: limits, and no system call that reaches another process, the network or, on the emulator, a file for
 * writing. Silently less where the kernel allows less. */
void confine(int on_emulator, int seconds);

/* The same for a process that starts compilers and writes what they make, as Triton does. What it starts and writes, bubblewrap has to shut in. */
void confine_with_compilers(int on_emulator, int seconds);

/* confine for a process that makes others of its own kind with fork, which are confined as well. They may start no program. */
void confine_with_processes(int on_emulator, int seconds);

#endif
