/* Exercise 23b: repair a broken build. It has six mistakes, and each shows only when the one before it is repaired.
 *
 * There is nothing to compile in this file: the lines that begin with `// $ ` are the commands that build a program, in their order, as a Makefile
 * would run them. The grader (make exercise23b) runs them in a fresh folder, stops at the first that fails, and shows its output. The sources
 * are in that folder:
 *
 *     main.cpp                main(); calls silu_all and report. No CUDA in it
 *     report.cpp, report.h    report()
 *     kernels.cu, silu.h      silu_all() and its kernel, which calls silu()
 *     device.cu               __device__ float silu(float)
 *
 * The build must meet these requirements:
 *
 *   - `program` is linked by g++ from main.o, libreport.a and libsilu.so, so that using the library needs no nvcc;
 *   - libreport.a is a static library, libsilu.so a shared one in which all device code is linked;
 *   - silu() stays in a separate file;
 *   - the runtime is the shared one, libcudart.so, so that the emulator can replace it;
 *   - it runs on devices of compute capability 7.5 and all later ones, including those that do not exist yet. (The emulator runs PTX and no
 *     machine code. Where a device would use machine code, as with -arch=all-major, the grader reads that from the commands, and runs a
 *     second build with PTX.)
 *
 * Allowed are nvcc, g++ and ar, files of this folder (no other paths, no shell and no quotes), and the options that such a build needs: those
 * that name files, devices, libraries and the runtime, -O, -std, -g, -W..., -fPIC, -Xcompiler and its kind, -Wl,-rpath and other harmless
 * ones. The grader prints the list when it finds another option. Options that hide an error (-Wl,--unresolved-symbols) or include a
 * source in another one (-include) are not allowed.
 *
 * When all checks pass, the program builds with its libraries, and runs on all devices from compute capability 7.5 on.
 * First step: TODO 1, about ten minutes: the check "the commands with a .cu file succeed" passes.
 */
// fails as given: compile_error

// These are right:
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o

// TODO 1: the two commands that compile device code. Run make exercise23b, read the error, find the line (it may precede the one that
// failed), and change one thing. Repeat.
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -c kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -dc device.cu -o device.o

// TODO 2: the two commands that link, in the same way. Some of their errors are due to the two above.
// $ g++ -shared kernels.o device.o -o libsilu.so
// $ g++ -L. -lreport -lsilu main.o -o program
