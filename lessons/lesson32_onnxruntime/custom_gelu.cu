/* custom_gelu.cu - GELU as an operator of ONNX Runtime: CustomGelu and CustomGeluGrad in the domain cuda.workbook.
 *
 *     y = CustomGelu(x)              attribute approximate: "none" (the default) or "tanh", as ONNX's own Gelu has it
 *     dx = CustomGeluGrad(x, dy)     dy times GELU's derivative at x
 *
 * For float and float16. Each exists twice: for the CPU provider, whose tensors lie in CPU memory and are copied to the device and back, and for the
 * CUDA provider, whose tensors are on the device.
 */
#include "gelu.cuh"
#include "ort.h"
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

// ---------------------------------------------------------------- errors are statuses

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (OrtStatus *status_ = (call)) {                                                                             \
            return status_;                                                                                            \
        }                                                                                                              \
    } while (0)

static OrtStatus *cuda_status(const OrtApi *api, cudaError_t code) {
    if (code == cudaSuccess) {
        return nullptr;
    }
    std::string text = std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
    return api->CreateStatus(ORT_FAIL, text.c_str());
}

/* Every function that ONNX Runtime calls goes through this: it turns a C++ exception into a status. */
template <typename Work> static OrtStatus *guarded(const OrtApi *api, Work work) noexcept {
    try {
        return work();
    } catch (const std::exception &error) {
        return api->CreateStatus(ORT_FAIL, error.what());
    }
}

// ---------------------------------------------------------------- one entry of the table, and a kernel that was created from it

struct Operator : OrtCustomOp {
    Operator(const char *name, ONNXTensorElementDataType type, bool on_device);
    const char *name;
    ONNXTensorElementDataType type;
    size_t inputs; // x, and dy on the way back
    bool on_device;
};

/* A node of a model, as long as its session lives. Several threads may compute with it at once: nothing in it changes. */
struct Kernel {
    const Operator *op;
    const OrtApi *api;
    Function function;
};

static std::atomic<int> kernels_created, kernels_destroyed, kernels_computed;

/* The attribute `approximate`. Who asks for one that is not there gets a status; it is ours, and we release it. */
static OrtStatus *read_function(const OrtApi *api, const OrtKernelInfo *info, Function *function) {
    char text[16] = "";
    size_t size = sizeof text; // with the zero at the end
    OrtStatus *status = api->KernelInfoGetAttribute_string(info, "approximate", text, &size);
    *function = std::string(text) == "tanh" ? GELU_TANH : GELU;
    if (status) {
        bool absent = size == sizeof text; // the error is not that the text is too long
        api->ReleaseStatus(status);
        if (absent) {
            return nullptr;
        }
    } else if (*function == GELU_TANH || std::string(text) == "none") {
        return nullptr;
    }
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "CustomGelu: approximate must be \"none\" or \"tanh\"");
}

static OrtStatus *create_kernel(const OrtCustomOp *table, const OrtApi *api, const OrtKernelInfo *info, void **made) {
    return guarded(api, [&]() -> OrtStatus * {
        const Operator *op = (const Operator *)table;
        std::unique_ptr<Kernel> kernel(new Kernel{op, api, GELU_BACKWARD});
        if (op->inputs == 1) {
            TRY(read_function(api, info, &kernel->function));
        }
        *made = kernel.release();
        kernels_created++;
        return nullptr;
    });
}

static void destroy_kernel(void *kernel) {
    delete (Kernel *)kernel;
    kernels_destroyed++;
}

// ---------------------------------------------------------------- compute

struct Input {
    const void *data;
    std::vector<int64_t> shape;
    size_t elements;
};

static OrtStatus *read_input(const OrtApi *api, const OrtKernelContext *context, size_t index, Input *input) {
    const OrtValue *value = nullptr;
    OrtTensorTypeAndShapeInfo *made = nullptr;
    TRY(api->KernelContext_GetInput(context, index, &value));
    TRY(api->GetTensorTypeAndShape(value, &made));
    std::unique_ptr<OrtTensorTypeAndShapeInfo, void (*)(OrtTensorTypeAndShapeInfo *)> info(
        made, api->ReleaseTensorTypeAndShapeInfo);
    size_t count = 0;
    TRY(api->GetDimensionsCount(made, &count));
    input->shape.resize(count);
    TRY(api->GetDimensions(made, input->shape.data(), count));
    TRY(api->GetTensorShapeElementCount(made, &input->elements));
    return api->GetTensorMutableData((OrtValue *)value, (void **)&input->data); // there is no function for const data
}

static cudaError_t launch(const Kernel &kernel, const void *x, const void *dy, void *result, size_t n,
                          cudaStream_t stream) {
    return kernel.op->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
               ? launch_of<float>(kernel.function, x, dy, result, n, stream)
               : launch_of<__half>(kernel.function, x, dy, result, n, stream);
}

/* Device memory for one call, given back in the order of its stream. */
class Scratch {
  public:
    Scratch(size_t bytes, cudaStream_t stream) : stream(stream) {
        code = bytes ? cudaMallocAsync(&data, bytes, stream) : cudaSuccess;
    }
    ~Scratch() {
        if (data) {
            cudaFreeAsync(data, stream);
        }
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    void *data = nullptr;
    cudaError_t code;

  private:
    cudaStream_t stream;
};

/* The CPU provider's tensors: in, compute, out, and wait, since whoever called reads y when we return. Each thread has a stream of its own. */
static cudaError_t compute_through_device(const Kernel &kernel, const Input &x, const Input *dy, void *result) {
    cudaStream_t stream = cudaStreamPerThread;
    size_t bytes = x.elements * (kernel.op->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ? 4 : 2);
    Scratch x_there(bytes, stream), dy_there(dy ? bytes : 0, stream), result_there(bytes, stream);
    cudaError_t code = x_there.code ? x_there.code : dy_there.code ? dy_there.code : result_there.code;
    if (!code) {
        code = cudaMemcpyAsync(x_there.data, x.data, bytes, cudaMemcpyHostToDevice, stream);
    }
    if (!code && dy) {
        code = cudaMemcpyAsync(dy_there.data, dy->data, bytes, cudaMemcpyHostToDevice, stream);
    }
    if (!code) {
        code = launch(kernel, x_there.data, dy_there.data, result_there.data, x.elements, stream);
    }
    if (!code) {
        code = cudaMemcpyAsync(result, result_there.data, bytes, cudaMemcpyDeviceToHost, stream);
    }
    cudaError_t waited = cudaStreamSynchronize(stream);
    return code ? code : waited;
}

/* The CUDA provider's tensors: our kernel is queued in its stream, behind the node that makes x, and nobody waits. */
static OrtStatus *compute_on_device(const Kernel &kernel, OrtKernelContext *context, const Input &x, const Input *dy,
                                    void *result) {
    void *stream = nullptr;
    TRY(kernel.api->KernelContext_GetGPUComputeStream(context, &stream));
    cudaError_t code = launch(kernel, x.data, dy ? dy->data : nullptr, result, x.elements, (cudaStream_t)stream);
    return cuda_status(kernel.api, code);
}

static OrtStatus *compute(const Kernel &kernel, OrtKernelContext *context) {
    const OrtApi *api = kernel.api;
    Input x, dy;
    bool backward = kernel.function == GELU_BACKWARD;
    TRY(read_input(api, context, 0, &x));
    if (backward) {
        TRY(read_input(api, context, 1, &dy));
        if (x.shape != dy.shape) {
            return api->CreateStatus(ORT_INVALID_ARGUMENT, "CustomGeluGrad: dy must have the shape of x");
        }
    }
    OrtValue *y = nullptr;
    void *result = nullptr;
    TRY(api->KernelContext_GetOutput(context, 0, x.shape.data(), x.shape.size(), &y));
    TRY(api->GetTensorMutableData(y, &result));
    kernels_computed++;
    if (kernel.op->on_device) {
        return compute_on_device(kernel, context, x, backward ? &dy : nullptr, result);
    }
    return cuda_status(api, compute_through_device(kernel, x, backward ? &dy : nullptr, result));
}

// ---------------------------------------------------------------- the table, word by word

/* The shape of y is that of x, whatever that is: numbers, or names like "batch". */
static OrtStatus *infer_shape(const OrtApi *api, OrtShapeInferContext *context) {
    OrtTensorTypeAndShapeInfo *info = nullptr;
    TRY(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
    return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
}

static const OrtApi *the_api; // for InferOutputShapeFn, the one function that gets none

Operator::Operator(const char *name, ONNXTensorElementDataType type, bool on_device)
    : OrtCustomOp{}, name(name), type(type), inputs(std::string(name) == "CustomGeluGrad" ? 2 : 1),
      on_device(on_device) {
    version = ORT_INTERFACE; // how far this table is filled
    // What it is called, and where its tensors lie.
    GetName = [](const OrtCustomOp *op) { return ((const Operator *)op)->name; };
    GetExecutionProviderType = [](const OrtCustomOp *op) {
        return ((const Operator *)op)->on_device ? "CUDAExecutionProvider" : "CPUExecutionProvider";
    };
    GetInputMemoryType = [](const OrtCustomOp *, size_t) { return OrtMemTypeDefault; };
    // What goes in and comes out: the model is checked against this before anything runs.
    GetInputTypeCount = [](const OrtCustomOp *op) { return ((const Operator *)op)->inputs; };
    GetInputType = [](const OrtCustomOp *op, size_t) { return ((const Operator *)op)->type; };
    GetInputCharacteristic = [](const OrtCustomOp *, size_t) { return INPUT_OUTPUT_REQUIRED; };
    GetOutputTypeCount = [](const OrtCustomOp *) -> size_t { return 1; };
    GetOutputType = [](const OrtCustomOp *op, size_t) { return ((const Operator *)op)->type; };
    GetOutputCharacteristic = [](const OrtCustomOp *, size_t) { return INPUT_OUTPUT_REQUIRED; };
    InferOutputShapeFn = [](const OrtCustomOp *, OrtShapeInferContext *context) {
        return guarded(the_api, [&] { return infer_shape(the_api, context); });
    };
    // Which versions of the domain have this operator.
    GetStartVersion = [](const OrtCustomOp *) { return 1; };
    GetEndVersion = [](const OrtCustomOp *) { return 1; };
    // The life of a kernel. Those without V2 cannot report an error; whoever fills V2 may leave them empty.
    CreateKernelV2 = create_kernel;
    KernelComputeV2 = [](void *kernel, OrtKernelContext *context) {
        const Kernel &self = *(const Kernel *)kernel;
        return guarded(self.api, [&] { return compute(self, context); });
    };
    KernelDestroy = destroy_kernel;
}

// ---------------------------------------------------------------- the one name that ONNX Runtime looks for

/* ONNX Runtime keeps the addresses of the domain and of the tables as long as there is a session: they are never given back. */
static OrtStatus *make_domain(const OrtApi *api, OrtCustomOpDomain **made) {
    static const Operator operators[] = {
        {"CustomGelu", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, false},
        {"CustomGelu", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, false},
        {"CustomGeluGrad", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, false},
        {"CustomGeluGrad", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, false},
        {"CustomGelu", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, true},
        {"CustomGelu", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, true},
        {"CustomGeluGrad", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, true},
        {"CustomGeluGrad", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, true},
    };
    the_api = api;
    TRY(api->CreateCustomOpDomain("cuda.workbook", made));
    for (const Operator &op : operators) {
        TRY(api->CustomOpDomain_Add(*made, &op));
    }
    return nullptr;
}

extern "C" {

/* Called once for each SessionOptions that this library is registered with. */
OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    const OrtApi *api = base->GetApi(ORT_INTERFACE);
    if (!api) { // older than 1.17: version 1 of the interface can at least create a status
        return base->GetApi(1)->CreateStatus(ORT_FAIL, "custom_gelu needs ONNX Runtime 1.17 or newer");
    }
    return guarded(api, [&]() -> OrtStatus * {
        static OrtCustomOpDomain *domain;
        static OrtStatus *failed = make_domain(api, &domain); // once, even if several threads call this
        return failed ? api->CreateStatus(ORT_FAIL, "custom_gelu: the domain cannot be made")
                      : api->AddCustomOpDomain(options, domain);
    });
}
}

// ---------------------------------------------------------------- for the lesson: counters, and the kernels alone

extern "C" {

/* How often kernels were created, destroyed, and asked to compute. */
int custom_gelu_created(void) {
    return kernels_created;
}
int custom_gelu_destroyed(void) {
    return kernels_destroyed;
}
int custom_gelu_computed(void) {
    return kernels_computed;
}

/* For the tables: a kernel alone, of arrays on the device. */
int custom_gelu_queue(const void *x, const void *dy, void *result, size_t n, int half, void *stream) {
    Function function = dy ? GELU_BACKWARD : GELU;
    return half ? launch_of<__half>(function, x, dy, result, n, (cudaStream_t)stream)
                : launch_of<float>(function, x, dy, result, n, (cudaStream_t)stream);
}
}
