/* For parts of the emulator that know nothing of the CUDA runtime's types. */
#ifndef SYNCHRONIZE_H
#define SYNCHRONIZE_H

/* Waits until everything that was submitted to any device is done. */
void synchronize_all(void);

#endif
