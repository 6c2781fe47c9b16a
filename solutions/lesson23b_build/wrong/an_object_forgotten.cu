// expect: compile_error
// says: Undefined reference to '_Z4siluf'
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_80,code=sm_80 -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -arch=sm_80 -cudart shared -shared kernels.o -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -o program
