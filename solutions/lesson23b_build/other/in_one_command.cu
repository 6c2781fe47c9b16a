// nvcc compiles both files and links the library in one call; machine code for two GPUs beside the PTX.
// $ g++ -std=c++17 -O2 -g -Wall -Wextra -Wno-unused -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -g -Wall -Wextra -Wno-unused -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -lineinfo -Xptxas=-v,-O3 -forward-unknown-to-host-compiler -Wall -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=sm_80 -rdc=true -Xcompiler -fPIC -cudart shared -shared kernels.cu device.cu -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -Wl,-rpath,$ORIGIN -Wl,--no-undefined -o ./program
