// expect: compile_error
// says: is not allowed in this exercise
// The linker is told to ignore what is missing.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_75,code=compute_75 -cudart shared -shared kernels.o device.o -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -Wl,--unresolved-symbols=ignore-all -o program
