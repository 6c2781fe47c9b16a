// nvcc: -gencode arch=compute_75,code=sm_75 -Xcompiler "$(touch pwned)" -o pwned
// arch: sm_75 -o pwned
