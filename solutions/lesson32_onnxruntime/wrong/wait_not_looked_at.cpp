// expect: api_error
// says: its work fails, which layer_wait reports
// alone: each has a RegisterCustomOps
/* What layer_wait returns is not looked at: work that was taken may fail later. */
#include "layer.h"
#include "ort.h"
#include <exception>
#include <memory>
#include <vector>

/* Leaves the function with a status, unless there is none. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (OrtStatus *status_ = (call)) {                                                                             \
            return status_;                                                                                            \
        }                                                                                                              \
    } while (0)

/* A node of a model. Threads share it. */
struct Kernel {
    const OrtApi *api;
    float scale;
};

struct Tensor {
    float *data;
    std::vector<int64_t> shape;
};

/* The table becomes an operator of the domain "exercise", in the sessions that are made with these options. */
static OrtStatus *add_to_domain(const OrtApi *api, const OrtCustomOp *table, OrtSessionOptions *options) {
    OrtCustomOpDomain *domain = nullptr;
    TRY(api->CreateCustomOpDomain("exercise", &domain));
    TRY(api->CustomOpDomain_Add(domain, table));
    return api->AddCustomOpDomain(options, domain);
}

static size_t input_count(const OrtCustomOp *) {
    return 2;
}

static OrtStatus *infer_shape(const OrtApi *api, OrtShapeInferContext *context) {
    OrtTensorTypeAndShapeInfo *info = nullptr;
    TRY(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
    return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
}

static OrtStatus *create(const OrtCustomOp *, const OrtApi *api, const OrtKernelInfo *info, void **made) {
    std::unique_ptr<Kernel> kernel(new Kernel{api, 1});
    OrtStatus *absent = api->KernelInfoGetAttribute_float(info, "scale", &kernel->scale);
    if (absent) {
        api->ReleaseStatus(absent);
        kernel->scale = 1;
    }
    *made = kernel.release();
    return nullptr;
}

/* Address and shape of an input. */
static OrtStatus *read_input(const OrtApi *api, const OrtKernelContext *context, size_t index, Tensor *tensor) {
    const OrtValue *value = nullptr;
    TRY(api->KernelContext_GetInput(context, index, &value));
    TRY(api->GetTensorMutableData((OrtValue *)value, (void **)&tensor->data));
    OrtTensorTypeAndShapeInfo *info = nullptr;
    TRY(api->GetTensorTypeAndShape(value, &info));
    size_t count = 0;
    OrtStatus *status = api->GetDimensionsCount(info, &count);
    if (!status) {
        tensor->shape.resize(count);
        status = api->GetDimensions(info, tensor->shape.data(), count);
    }
    api->ReleaseTensorTypeAndShapeInfo(info);
    return status;
}

/* rows * cols numbers, through a layer: below. */
static OrtStatus *forward(const Kernel &kernel, const float *x, const float *bias, float *y, int64_t rows,
                          int64_t cols);

static OrtStatus *compute(const Kernel &kernel, OrtKernelContext *context) {
    const OrtApi *api = kernel.api;
    Tensor x, bias;
    TRY(read_input(api, context, 0, &x));
    TRY(read_input(api, context, 1, &bias));
    if (bias.shape.size() != 1 || x.shape.empty() || x.shape.back() != bias.shape[0]) {
        return api->CreateStatus(ORT_INVALID_ARGUMENT, "bias must be as long as the last dimension of x");
    }
    OrtValue *value = nullptr;
    float *y = nullptr;
    TRY(api->KernelContext_GetOutput(context, 0, x.shape.data(), x.shape.size(), &value));
    TRY(api->GetTensorMutableData(value, (void **)&y));
    int64_t rows = 1;
    for (size_t d = 0; d + 1 < x.shape.size(); d++) {
        rows *= x.shape[d];
    }
    return forward(kernel, x.data, bias.data, y, rows, bias.shape[0]);
}

/* What the library returned, as a status: none for 0. */
static OrtStatus *status_of(const OrtApi *api, int code) {
    return code == 0 ? nullptr : api->CreateStatus(ORT_FAIL, layer_error(code));
}

/* rows * cols numbers, through a layer. */
static OrtStatus *forward(const Kernel &kernel, const float *x, const float *bias, float *y, int64_t rows,
                          int64_t cols) {
    struct layer *layer = nullptr;
    TRY(status_of(kernel.api, layer_create(&layer, bias, (int)cols)));
    int code = layer_forward(layer, x, y, rows, kernel.scale);
    layer_wait(layer);
    layer_destroy(layer);
    return status_of(kernel.api, code);
}

/* BiasGelu's table. It keeps the functions of ONNX Runtime for InferOutputShapeFn, which is not given them. */
struct BiasGelu : OrtCustomOp {
    explicit BiasGelu(const OrtApi *api);
    const OrtApi *api;
};

/* No exception of C++ leaves: it becomes a status. */
template <typename Work> static OrtStatus *guarded(const OrtApi *api, Work work) noexcept {
    try {
        return work();
    } catch (const std::exception &error) {
        return api->CreateStatus(ORT_FAIL, error.what());
    }
}

BiasGelu::BiasGelu(const OrtApi *api) : OrtCustomOp{}, api(api) {
    version = ORT_INTERFACE;
    GetName = [](const OrtCustomOp *) { return "BiasGelu"; };
    GetExecutionProviderType = [](const OrtCustomOp *) { return "CPUExecutionProvider"; };
    GetInputMemoryType = [](const OrtCustomOp *, size_t) { return OrtMemTypeDefault; };
    GetInputTypeCount = input_count;
    GetOutputTypeCount = [](const OrtCustomOp *) -> size_t { return 1; };
    GetInputType = GetOutputType = [](const OrtCustomOp *, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
    GetInputCharacteristic =
        GetOutputCharacteristic = [](const OrtCustomOp *, size_t) { return INPUT_OUTPUT_REQUIRED; };
    GetStartVersion = GetEndVersion = [](const OrtCustomOp *) { return 1; };
    InferOutputShapeFn = [](const OrtCustomOp *op, OrtShapeInferContext *context) {
        const OrtApi *api = ((const BiasGelu *)op)->api;
        return guarded(api, [&] { return infer_shape(api, context); });
    };
    CreateKernelV2 = [](const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **made) {
        return guarded(api, [&] { return create(op, api, info, made); });
    };
    KernelComputeV2 = [](void *kernel, OrtKernelContext *context) {
        const Kernel &self = *(const Kernel *)kernel;
        return guarded(self.api, [&] { return compute(self, context); });
    };
    KernelDestroy = [](void *kernel) { delete (Kernel *)kernel; };
}

extern "C" __attribute__((visibility("default"))) OrtStatus *RegisterCustomOps(OrtSessionOptions *options,
                                                                               const OrtApiBase *base) {
    const OrtApi *api = base->GetApi(ORT_INTERFACE);
    static const BiasGelu bias_gelu(api); // sessions keep its address
    return add_to_domain(api, &bias_gelu, options);
}
