/* One process for each GPU, on one machine or on several: the same program, whoever starts it.
 *
 *     mpirun -n 4 ./ranks                                        one machine
 *     mpirun -n 8 --hostfile hosts -x MASTER_ADDR=node1 ./ranks  two machines, as libraries/hosts says (MPICH: -f hosts -genv MASTER_ADDR node1)
 *     sbatch libraries/job.slurm                                 Slurm: srun starts as many as there are GPUs
 *     torchrun --no-python --nproc-per-node 4 ./ranks            without MPI; see start.h
 *     torchrun --no-python --nnodes 2 --node-rank 0 --nproc-per-node 4 --master-addr node1 --master-port 29500 ./ranks
 *
 * ranks_mpi is the same program built with MPI: that is then who tells the processes of each other. NCCL's kernels do the work in both:
 * between the GPUs of a machine by NVLink, between machines by InfiniBand or TCP. All that the processes must know of each other first is one
 * *unique id* of 128 bytes, which rank 0 makes. -DWITHOUT_NCCL leaves NCCL and CUDA out: then it only shows who was started where. */
#ifdef WITHOUT_NCCL
struct ncclUniqueId {
    char internal[128];
};
#else
#include <nccl.h>

#include "../../../common/check.h"
#include "../../../common/record.h"
#include "../../../common/verify.h"
#endif
#include "start.h"

#ifdef WITHOUT_NCCL
static void make_id(ncclUniqueId *id) {
    for (int i = 0; i < 128; i++) {
        id->internal[i] = (char)(7 * i + getpid());
    }
}

static int work(const struct start *, ncclUniqueId) {
    return 0;
}
#else
#define NCCL_CHECK(call)                                                                                               \
    do {                                                                                                               \
        ncclResult_t result_ = (call);                                                                                 \
        if (result_ != ncclSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, ncclGetErrorString(result_));         \
            exit(CHECK_EXIT_FAIL);                                                                                     \
        }                                                                                                              \
    } while (0)

static void make_id(ncclUniqueId *id) {
    NCCL_CHECK(ncclGetUniqueId(id));
}

/* All ranks call it together. Whole numbers, so that each order of adding gives the same bits. */
static int work(const struct start *s, ncclUniqueId id) {
    enum { N = 1 << 20 };
    float *x, *y, *host = (float *)verify_host_alloc(N * sizeof(float)),
                  *expected = (float *)verify_host_alloc(N * sizeof(float));
    ncclComm_t comm;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = 0;
    CUDA_CHECK(cudaSetDevice(s->local));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    NCCL_CHECK(ncclCommInitRank(&comm, s->ranks, id, s->rank));
    for (int i = 0; i < N; i++) {
        host[i] = (float)(i % 1000 + s->rank);
        expected[i] = (float)(s->ranks * (i % 1000) + s->ranks * (s->ranks - 1) / 2);
    }
    x = (float *)verify_alloc(N * sizeof(float));
    y = (float *)verify_alloc(N * sizeof(float));
    CUDA_CHECK(cudaMemcpy(x, host, N * sizeof(float), cudaMemcpyHostToDevice));
    for (int call = 0; call < 25; call++) {
        if (call == 5) {
            CUDA_CHECK(cudaEventRecord(start, stream));
        }
        NCCL_CHECK(ncclAllReduce(x, y, N, ncclFloat, ncclSum, comm, stream));
    }
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_CHECK(cudaMemcpy(host, y, N * sizeof(float), cudaMemcpyDeviceToHost));
    verify_floats_exact("ncclAllReduce", host, expected, N);
    NCCL_CHECK(ncclCommDestroy(comm));
    if (s->rank == 0) {
        printf("%d ranks: %.1f microseconds for 4 MiB\n", s->ranks, 1000 * ms / 20);
        record_row("NCCL", "ranks", s->ranks, "");
        record_row("NCCL", "us for 4 MiB", 1000 * ms / 20, "us");
        return verify_finish("NCCL across processes");
    }
    return verify_tally()->failures != 0;
}
#endif

int main(int argc, char **argv) {
    struct start s = start_begin(&argc, &argv);
    ncclUniqueId id = {};
    char machine[256] = "";
    unsigned sum = 0;
    gethostname(machine, sizeof machine - 1);
    if (s.rank == 0) {
        make_id(&id);
    }
    start_share(&s, &id, sizeof id);
    for (char c : id.internal) {
        sum = sum * 31 + (unsigned char)c;
    }
    printf("rank %d of %d, GPU %d of %s, started by %s, id %08x\n", s.rank, s.ranks, s.local, machine, s.by, sum);
    fflush(stdout);
    int status = work(&s, id);
    start_end(&s);
    return status;
}
