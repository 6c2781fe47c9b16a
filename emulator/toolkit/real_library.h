/* NVIDIA's library, of which the one that this is part of has the name. */
#ifndef REAL_LIBRARY_H
#define REAL_LIBRARY_H

/* A function of it. NULL: the library is not on this machine, of which standard error has been told, or is too old to
 * have it. */
void *real_function(const char *name);

/* By this name a library is known to be ours, or that of another copy of the emulator. */
extern const char emulatorIsNoCompiler[];

#endif
