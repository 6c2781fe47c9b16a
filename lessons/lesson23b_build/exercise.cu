/* Exercise 23b: a build that is broken. Six things are wrong in it, and each shows only when the one before it is repaired.
 *
 * There is nothing to compile in this file: the lines that begin with `// $ ` are the commands that build a program, in their order, as a Makefile
 * would run them. The grader (make exercise23b) runs them in a fresh folder, stops at the first that fails, and shows what it says. The sources
 * are in that folder:
 *
 *     main.cpp                main(); calls silu_all and report. No CUDA in it
 *     report.cpp, report.h    report()
 *     kernels.cu, silu.h      silu_all() and its kernel, which calls silu()
 *     device.cu               __device__ float silu(float)
 *
 * What is wanted:
 *
 *   - `program` is linked by g++ from main.o, libreport.a and libsilu.so: whoever uses the library needs no nvcc;
 *   - libreport.a is a static library, libsilu.so a shared one with all of the device's side linked in it;
 *   - silu() stays in a file of its own;
 *   - the runtime is the shared one, libcudart.so, so that the emulator can take its place;
 *   - it runs on devices of compute capability 7.5 and all later ones, also those that do not exist yet. (The emulator runs PTX and no machine
 *     code. Where a device is served by machine code, as with -arch=all-major, the grader reads that from the commands, and runs a second
 *     build with PTX.)
 *
 * Allowed are nvcc, g++ and ar, files of this folder (no other paths, no shell and no quotes), and the options that such a build needs: those
 * that name files, devices, libraries and the runtime, -O, -std, -g, -W..., -fPIC, -Xcompiler and its kind, -Wl,-rpath and other harmless
 * ones. The grader prints the list when it finds another. Not allowed is what hides an error (-Wl,--unresolved-symbols) or includes a
 * source in another one (-include).
 */
// fails as given: compile_error

// These are right:
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o

// TODO 1: run make exercise23b, read the error, find the line (it may be one before that which failed), and change one thing. Then again.
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -c kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -dc device.cu -o device.o
// $ g++ -shared kernels.o device.o -o libsilu.so
// $ g++ -L. -lreport -lsilu main.o -o program
