// Linked with image.cu by -rdc=true.
__global__ void of_other_file(int *arch) {
    *arch = 0;
}
