// What was done to each array that is watched, who did it, and what the host has handed to the device.
struct watched {
    struct emulatorArrayCounters array[3], elsewhere, of_host; // in, out, flags
    struct emulatorHostBytes host;
    struct emulatorLaunch launch[8];
    size_t launches;
};

static int *watched_in, *watched_out, *watched_flags, watched_of_host[16];

static struct watched watch(void (*run)()) {
    struct watched w = {};
    struct emulatorArrayCounters all[6] = {};
    const struct emulatorArray arrays[] = {{watched_in, N * 4, 1, 0},
                                           {watched_out, N * 4, 0, 1},
                                           {watched_flags, N * 4, 0, 0},
                                           {watched_of_host, 64, 1, 0}};
    authors_start();
    emulator_function<void(const struct emulatorArray *, size_t)>("emulatorWatchArrays")(arrays, 4);
    counted(run);
    EXPECT_EQUAL("arrays counted", 6,
                 emulator_function<size_t(struct emulatorArrayCounters *, size_t)>("emulatorArraysCounted")(all, 6));
    memcpy(w.array, all, sizeof w.array);
    w.elsewhere = all[4];
    w.of_host = all[5];
    emulator_function<void(struct emulatorHostBytes *, size_t)>("emulatorHostBytes")(&w.host, sizeof w.host);
    w.launches = emulator_function<size_t(struct emulatorLaunch *, size_t)>("emulatorLaunches")(w.launch, 8);
    return w;
}

static uint64_t handed(const struct emulatorHostBytes *h) {
    return h->copied_in + h->read_there + h->parameters + h->filled;
}

__global__ void copy_rows(int *out, const int *in, int rows) {
    for (int row = 0; row < rows; row++)
        out[row * 256 + threadIdx.x] = in[row * 256 + threadIdx.x];
}

__global__ void copy_element(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// One instruction, now in one array and now in the other; and in both at once.
__global__ void load_from_both(const volatile int *a, const volatile int *b, int *out) {
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (i % 2 ? a : b)[threadIdx.x];
    out[threadIdx.x] = sum + (threadIdx.x < 16 ? a : b)[threadIdx.x];
}

__global__ void poll(volatile int *flag, int *out, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++)
        sum += flag[0];
    if (threadIdx.x == 0)
        out[0] = sum;
}

__global__ void read_and_write_by_atomics(int *in, int *out) {
    atomicExch(&out[threadIdx.x], atomicOr(&in[threadIdx.x], 0));
}

__global__ void idle(int *) {}

struct large_parameter {
    int values[N / 2];
};
__global__ void carry_parameter(int *out, __grid_constant__ const struct large_parameter large) {
    out[threadIdx.x] = large.values[threadIdx.x];
}

__global__ void carry_value(int *out, int i, int value) {
    out[i] = value;
}

__global__ void fetch_linear(cudaTextureObject_t t, int *out) {
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
}

static void loads_and_stores_by_array() {
    struct watched w = watch([] { copy_rows<<<1, 256>>>(watched_out, watched_in, 4); });
    EXPECT_EQUAL("requests of the input", 32, w.array[0].load_requests);
    EXPECT_EQUAL("its sectors", 128, w.array[0].load_sectors);
    EXPECT_EQUAL("its bytes", 4096, w.array[0].load_bytes);
    EXPECT_EQUAL("nothing of it is stored", 0, w.array[0].store_requests);
    EXPECT_EQUAL("sectors of the output", 128, w.array[1].store_sectors);
    EXPECT_EQUAL("nothing is elsewhere", 0, w.elsewhere.load_requests + w.elsewhere.store_requests);
    w = watch([] { copy_rows<<<1, 256>>>(device_array<int>(N), watched_flags, 4); });
    EXPECT_EQUAL("stores elsewhere", 128, w.elsewhere.store_sectors);
    EXPECT_EQUAL("loads of another array", 128, w.array[2].load_sectors);
    w = watch([] { load_from_both<<<1, 32>>>(watched_in, watched_flags, watched_out); });
    EXPECT_EQUAL("one instruction, two arrays: the first", 4 * 4 + 2, w.array[0].load_sectors);
    EXPECT_EQUAL("one instruction, two arrays: the second", 4 * 4 + 2, w.array[2].load_sectors);
    EXPECT_EQUAL("a request in both is one in each", 10, w.array[0].load_requests + w.array[2].load_requests);
    w = watch([] { poll<<<1, 32>>>(device_array<int>(1), watched_out, 100); });
    EXPECT_EQUAL("polls", 100, w.elsewhere.poll_requests);
    EXPECT_EQUAL("which are loads, too", 100, w.elsewhere.load_requests);
    w = watch([] { read_and_write_by_atomics<<<1, 32>>>(watched_in, watched_out); });
    EXPECT_EQUAL("atomics of the input", 4, w.array[0].atomic_sectors);
    EXPECT_EQUAL("atomics of the output", 4, w.array[1].atomic_sectors);
    EXPECT_EQUAL("threads that read by them", 32, w.launch[0].input_threads);
    EXPECT_EQUAL("threads that write by them", 32, w.launch[0].output_threads);
}

static void other_ways_by_array() {
    static cudaTextureObject_t texture;
    struct watched w = watch([] { copies<<<1, 32>>>(watched_in, watched_out); });
    EXPECT_EQUAL("cp.async is a load", 32, w.array[0].load_sectors);
    EXPECT_EQUAL("bulk loads", 256, w.array[0].bulk_load_bytes);
    EXPECT_EQUAL("bulk stores", 128, w.array[1].bulk_store_bytes);
    EXPECT_EQUAL("which are the block's work", 32, w.launch[0].output_threads);
    w = watch([] { MUST(cudaMemcpy(watched_out, watched_in, N * 4, cudaMemcpyDeviceToDevice)); });
    EXPECT_EQUAL("a copy reads", N * 4, w.array[0].copied_from_bytes);
    EXPECT_EQUAL("and writes", N * 4, w.array[1].copied_to_bytes);
    EXPECT_EQUAL("and the host hands nothing over", 0, handed(&w.host));
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {watched_in, cudaCreateChannelDesc<int>(), N * 4};
    MUST(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    w = watch([] { fetch_linear<<<1, 32>>>(texture, watched_out); });
    EXPECT_EQUAL("texels of the input", 4, w.array[0].texture_sectors);
    EXPECT_EQUAL("threads that fetched them", 32, w.launch[0].input_threads);
}

static void work_by_launch() {
    struct watched w = watch([] {
        idle<<<64, 256>>>(watched_out);
        copy_element<<<8, 128>>>(watched_out, watched_in);
        copy_rows<<<1, 256>>>(watched_out, watched_in, 4);
    });
    EXPECT_EQUAL("launches", 3, w.launches);
    EXPECT_EQUAL("idle threads write nothing", 0, w.launch[0].output_threads + w.launch[0].input_threads);
    EXPECT_EQUAL("threads that write", 1024, w.launch[1].output_threads);
    EXPECT_EQUAL("blocks that write", 8, w.launch[1].output_blocks);
    EXPECT_EQUAL("bytes of the busiest block", 512, w.launch[1].most_output_bytes);
    EXPECT_EQUAL("threads of a single block", 256, w.launch[2].input_threads);
    EXPECT_EQUAL("which writes all", 4096, w.launch[2].most_output_bytes);
    check("instructions by launch",
          w.launch[0].warp_instructions > 0 && w.launch[1].warp_instructions > w.launch[0].warp_instructions / 64,
          "none");
    EXPECT_EQUAL("the device", 0, w.launch[1].device);
}

// ---- what the host hands over: each of these moves N ints that it may have made ----

static int *pinned, *managed, *mapped, pageable[N];
static int *scratch;

static void fill_pinned(void *) {
    for (int i = 0; i < N; i++)
        pinned[i] = i;
}
static void fill_managed(void *) {
    for (int i = 0; i < N; i++)
        managed[i] = i;
}

static void expect_handed(const char *name, uint64_t expected, void (*run)()) {
    struct watched w = watch(run);
    EXPECT_EQUAL(name, expected, handed(&w.host));
}

static __device__ int carried_variable[N];

static void copies_of_the_host() {
    expect_handed("a copy from pageable memory", N * 4,
                  [] { MUST(cudaMemcpy(scratch, pageable, N * 4, cudaMemcpyHostToDevice)); });
    expect_handed("rows of a copy", N * 2,
                  [] { MUST(cudaMemcpy2D(scratch, 8, pageable, 8, 4, N / 2, cudaMemcpyHostToDevice)); });
    expect_handed("a copy to a variable", N * 4, [] { MUST(cudaMemcpyToSymbol(carried_variable, pageable, N * 4)); });
    expect_handed("a copy to an array", N * 4, [] {
        cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
        cudaArray_t array;
        MUST(cudaMallocArray(&array, &format, N, 0));
        MUST(cudaMemcpy2DToArray(array, 0, 0, pageable, N * 4, N * 4, 1, cudaMemcpyHostToDevice));
        MUST(cudaFreeArray(array));
    });
    expect_handed("a fill of each element", 64 * 4, [] {
        for (int i = 0; i < 64; i++)
            MUST(cudaMemset(scratch + i, i, 4));
    });
    expect_handed("one fill of all", 4, [] { MUST(cudaMemset(scratch, 0, N * 4)); });
#if CUDART_VERSION >= 13000
    expect_handed("copies in a batch", N * 4, [] {
        cudaStream_t stream;
        void *to[] = {scratch, scratch + N / 2};
        const void *from[] = {pageable, pageable + N / 2};
        size_t sizes[] = {N * 2, N * 2}, first = 0;
        cudaMemcpyAttributes how = {};
        how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
        MUST(cudaStreamCreate(&stream));
        MUST(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, stream));
        MUST(cudaStreamSynchronize(stream));
        MUST(cudaStreamDestroy(stream));
    });
#endif
    expect_handed("what was staged", 64, [] {
        MUST(cudaMemcpyAsync(scratch, pageable, 64, cudaMemcpyHostToDevice, 0));
        MUST(cudaMemcpyAsync(scratch, watched_of_host, 64, cudaMemcpyHostToDevice, 0)); // an input: it is no upload
        MUST(cudaMemcpy(scratch, watched_of_host, 64, cudaMemcpyHostToDevice));
    });
    struct watched w = watch([] { MUST(cudaMemcpy(pageable, watched_out, N * 4, cudaMemcpyDeviceToHost)); });
    EXPECT_EQUAL("copied out", N * 4, w.host.copied_out);
    EXPECT_EQUAL("which hands nothing over", 0, handed(&w.host));
}

static void memory_of_the_host() {
    expect_handed("a host function's result in pinned memory", N * 4, [] {
        MUST(cudaLaunchHostFunc(0, fill_pinned, NULL));
        copy_element<<<8, 128>>>(watched_out, pinned);
    });
    expect_handed("in managed memory", N * 4, [] {
        MUST(cudaLaunchHostFunc(0, fill_managed, NULL));
        copy_element<<<8, 128>>>(watched_out, managed);
    });
    expect_handed("in registered memory", N * 4, [] {
        for (int i = 0; i < N; i++)
            pageable[i] = i;
        copy_element<<<8, 128>>>(watched_out, mapped);
    });
    expect_handed("what a kernel wrote there and another reads", 0, [] {
        copy_element<<<8, 128>>>(managed, watched_in);
        copy_element<<<8, 128>>>(watched_out, managed);
    });
    expect_handed("one word of the host's among them", 4, [] {
        copy_element<<<8, 128>>>(managed, watched_in);
        MUST(cudaDeviceSynchronize());
        managed[5] = ~managed[5];
        copy_element<<<8, 128>>>(watched_out, managed);
    });
}

// Words that are not 0 of a launch with this pointer, beside other parameters: six are sizes of the grid and of the block.
static uint64_t words_of_launch(const void *pointer) {
    uint64_t address = (uint64_t)pointer;
    return 6 + ((uint32_t)address != 0) + (address >> 32 != 0);
}

static void parameters_of_launches() {
    const uint64_t free_bytes = 256, first = 4 * words_of_launch(watched_out);
    expect_handed("a kernel's parameters, from the 257th byte on", N * 2 + first - free_bytes, [] {
        struct large_parameter large = {};
        for (int i = 0; i < N / 2; i++)
            large.values[i] = i + 1;
        for (int time = 0; time < 3; time++) // the second and the third hand nothing over
            carry_parameter<<<1, 256>>>(watched_out, large);
    });
    expect_handed("in many launches", first + 4 + 8 * 511 - free_bytes, [] {
        for (int i = 0; i < 512; i++)
            carry_value<<<1, 1>>>(watched_out, i, i + 1);
    });
    expect_handed("in a grid's size", first + 4 * 255 - free_bytes, [] {
        for (int i = 1; i <= 256; i++)
            idle<<<i, 1>>>(watched_out);
    });
    expect_handed("pointers and sizes of a loop over chunks", 0, [] {
        for (int i = 0; i < 8; i++)
            copy_element<<<1, 128>>>(watched_out + i * 128, watched_in + i * 128);
    });
}

static void arrays() {
    watched_in = device_array<int>(N);
    watched_out = device_array<int>(N);
    watched_flags = device_array<int>(N);
    scratch = device_array<int>(N);
    MUST(cudaMallocHost((void **)&pinned, N * 4));
    MUST(cudaMallocManaged((void **)&managed, N * 4));
    MUST(cudaHostRegister(pageable, sizeof pageable, cudaHostRegisterMapped));
    MUST(cudaHostGetDevicePointer((void **)&mapped, pageable, 0));
    for (int *p : {watched_in, watched_out, watched_flags})
        MUST(cudaMemset(p, 0, N * 4));
    loads_and_stores_by_array();
    other_ways_by_array();
    work_by_launch();
    memory_of_the_host();
    parameters_of_launches();
    MUST(cudaHostUnregister(pageable));
    copies_of_the_host();
}
