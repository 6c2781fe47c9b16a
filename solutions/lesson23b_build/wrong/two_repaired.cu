// expect: compile_error
// says: undefined reference to `silu_all(float const*, float*, int)
// The libraries come first.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC -dc device.cu -o device.o
// $ g++ -shared kernels.o device.o -o libsilu.so
// $ g++ -L. -lreport -lsilu main.o -o program
