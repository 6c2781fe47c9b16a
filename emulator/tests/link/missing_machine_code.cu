__device__ int variable_of_machine_code = 4;

__device__ int only_machine_code(int x) {
    return x + variable_of_machine_code;
}
