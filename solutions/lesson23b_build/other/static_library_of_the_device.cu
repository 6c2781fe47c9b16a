// Objects packed into a library of their own, from which the shared one is made.
// $ g++ -std=c++17 -O2 -c main.cpp -o main.o
// $ g++ -std=c++17 -O2 -c report.cpp -o report.o
// $ ar rcs libreport.a report.o
// $ nvcc -O2 -arch=all-major -Xcompiler -fPIC -dc kernels.cu -o kernels.o
// $ nvcc -O2 -arch=all-major -Xcompiler -fPIC -dc device.cu -o device.o
// $ nvcc -lib device.o -o libdevice.a
// $ nvcc -arch=all-major -cudart=shared -shared kernels.o libdevice.a -o libsilu.so
// $ g++ main.o -L. -lreport -lsilu -o program
