/* Exercise 32: an operator of ONNX Runtime with two inputs and an attribute. The library is that of exercises 27 and 28; layer.h declares it.
 *
 *     y = BiasGelu(x, bias)       y = scale * gelu(x + bias)
 *
 * in version 1 of the domain "exercise", for float, on the CPU provider. The grader (make exercise32) compiles this file to a library, registers it
 * with sessions of ONNX Runtime, and runs models of such nodes:
 *
 *   - x has one dimension or more; bias has one, of the size of x's last one. There may be no rows at all;
 *   - `scale` is an attribute, a float. Without it, scale is 1;
 *   - y has x's shape, and ONNX Runtime knows that before the run;
 *   - a bias that does not fit is ORT_INVALID_ARGUMENT. An error of the library is ORT_FAIL, with the library's text;
 *   - you release what you own, even after an error: layers, statuses, and descriptions of shapes;
 *   - several threads run a session at once.
 *
 * layer.h's functions take host addresses, and queue their work: results are complete only when layer_wait has returned.
 *
 * When all checks pass, ONNX Runtime runs models with an operator of yours, in many sessions and threads.
 * First step: TODO 1 and 2, about ten minutes: the check "a node has two inputs, both of them float" passes.
 */
// fails as given: not_implemented
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

[[maybe_unused]] static OrtStatus *not_implemented(const OrtApi *api, const char *what) {
    return api->CreateStatus(ORT_NOT_IMPLEMENTED, what);
}

/* The table becomes an operator of the domain "exercise", in the sessions that are made with these options. */
static OrtStatus *add_to_domain(const OrtApi *api, const OrtCustomOp *table, OrtSessionOptions *options) {
    //> TODO 1: a domain with this table, added to the options. Sessions use it as long as they live.
    //| (void)table;
    //| (void)options;
    //| return not_implemented(api, "TODO 1: the domain");
    OrtCustomOpDomain *domain = nullptr;
    TRY(api->CreateCustomOpDomain("exercise", &domain));
    TRY(api->CustomOpDomain_Add(domain, table));
    return api->AddCustomOpDomain(options, domain);
    //<
}

static size_t input_count(const OrtCustomOp *) {
    //> TODO 2: how many inputs there are.
    //| return 1;
    return 2;
    //<
}

static OrtStatus *infer_shape(const OrtApi *api, OrtShapeInferContext *context) {
    //> TODO 3: output 0 has the type and the shape of input 0. The context owns the description.
    //| (void)api;
    //| (void)context;
    //| return nullptr;
    OrtTensorTypeAndShapeInfo *info = nullptr;
    TRY(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
    return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
    //<
}

static OrtStatus *create(const OrtCustomOp *, const OrtApi *api, const OrtKernelInfo *info, void **made) {
    std::unique_ptr<Kernel> kernel(new Kernel{api, 1});
    //> TODO 4: the attribute. If the node does not have it, reading it returns a status.
    //| (void)info;
    //| return not_implemented(api, "TODO 4: the attribute scale");
    OrtStatus *absent = api->KernelInfoGetAttribute_float(info, "scale", &kernel->scale);
    if (absent) {
        api->ReleaseStatus(absent);
        kernel->scale = 1;
    }
    *made = kernel.release();
    return nullptr;
    //<
}

/* Address and shape of an input. */
static OrtStatus *read_input(const OrtApi *api, const OrtKernelContext *context, size_t index, Tensor *tensor) {
    const OrtValue *value = nullptr;
    TRY(api->KernelContext_GetInput(context, index, &value));
    TRY(api->GetTensorMutableData((OrtValue *)value, (void **)&tensor->data));
    //> TODO 5: the shape. Its description is allocated for you: where is it released?
    //| return not_implemented(api, "TODO 5: the shape of an input");
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
    //<
}

/* rows * cols numbers, through a layer: below. */
[[maybe_unused]] static OrtStatus *forward(const Kernel &kernel, const float *x, const float *bias, float *y,
                                           int64_t rows, int64_t cols);

static OrtStatus *compute(const Kernel &kernel, OrtKernelContext *context) {
    const OrtApi *api = kernel.api;
    Tensor x, bias;
    TRY(read_input(api, context, 0, &x));
    TRY(read_input(api, context, 1, &bias));
    //> TODO 6: ORT_INVALID_ARGUMENT, unless bias has one dimension, of the size of x's last one.
    if (bias.shape.size() != 1 || x.shape.empty() || x.shape.back() != bias.shape[0]) {
        return api->CreateStatus(ORT_INVALID_ARGUMENT, "bias must be as long as the last dimension of x");
    }
    //<
    //> TODO 7: the output, of x's shape, and its address. Then forward: how many rows does an x of any number of dimensions have?
    //| return not_implemented(api, "TODO 7: the output");
    OrtValue *value = nullptr;
    float *y = nullptr;
    TRY(api->KernelContext_GetOutput(context, 0, x.shape.data(), x.shape.size(), &value));
    TRY(api->GetTensorMutableData(value, (void **)&y));
    int64_t rows = 1;
    for (size_t d = 0; d + 1 < x.shape.size(); d++) {
        rows *= x.shape[d];
    }
    return forward(kernel, x.data, bias.data, y, rows, bias.shape[0]);
    //<
}

/* What the library returned, as a status: none for 0. */
[[maybe_unused]] static OrtStatus *status_of(const OrtApi *api, int code) {
    //> TODO 8: ORT_FAIL with the library's text, if it is an error code.
    //| (void)code;
    //| return not_implemented(api, "TODO 8: a status");
    return code == 0 ? nullptr : api->CreateStatus(ORT_FAIL, layer_error(code));
    //<
}

/* rows * cols numbers, through a layer. */
static OrtStatus *forward(const Kernel &kernel, const float *x, const float *bias, float *y, int64_t rows,
                          int64_t cols) {
    //> TODO 9: create a layer, do its work, and destroy it, whatever happens.
    //| (void)x, (void)bias, (void)y, (void)rows, (void)cols;
    //| return not_implemented(kernel.api, "TODO 9: the work");
    struct layer *layer = nullptr;
    TRY(status_of(kernel.api, layer_create(&layer, bias, (int)cols)));
    int code = layer_forward(layer, x, y, rows, kernel.scale);
    if (code == 0) {
        code = layer_wait(layer);
    }
    layer_destroy(layer);
    return status_of(kernel.api, code);
    //<
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
