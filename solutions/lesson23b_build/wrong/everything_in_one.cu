// expect: wrong_result
// says: program is linked by g++
// alone: a list of commands
// A program that runs, and no library.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -gencode arch=compute_75,code=compute_75 -rdc=true -cudart shared main.cpp report.cpp kernels.cu device.cu -o program
