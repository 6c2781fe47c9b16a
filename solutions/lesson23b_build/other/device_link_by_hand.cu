// The device link as a step of its own; then g++ can link the library.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dlink kernels.o device.o -o link.o
// $ g++ -shared kernels.o device.o link.o -lcudadevrt -lcudart -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -o program
