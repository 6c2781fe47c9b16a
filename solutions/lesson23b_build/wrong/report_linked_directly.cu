// expect: wrong_result
// says: report.o is to be in one of these
// The object is linked in place of the library that holds it.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_75,code=compute_75 -cudart shared -shared kernels.o device.o -o libsilu.so
// $ g++ main.o report.o -L. -lsilu -o program
