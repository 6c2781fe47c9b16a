// expect: compile_error
// says: is not allowed in this exercise
// silu() is compiled into kernels.o, and is in no file of its own.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -include device.cu -dc kernels.cu -o kernels.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -gencode arch=compute_75,code=compute_75 -cudart shared -shared kernels.o device.o -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -o program
