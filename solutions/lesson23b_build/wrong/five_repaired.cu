// expect: api_error
// says: cudaErrorNoKernelImageForDevice
// alone: a list of commands
// Machine code for one GPU alone.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_90,code=sm_90 -cudart shared -shared kernels.o device.o -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -o program
