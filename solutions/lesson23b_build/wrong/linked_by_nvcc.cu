// expect: wrong_result
// says: program is linked by g++
// nvcc links the program, as if whoever uses the library had it.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_75,code=compute_75 -cudart shared -shared kernels.o device.o -o libsilu.so
// $ nvcc -cudart none main.o -L. -lreport -lsilu -o program
