/* mistakes.cu - a library that does one thing wrong when it is registered, for step errors6 of lesson32.py: mistakes_choose(number) says which.
 *
 * Its CustomGelu has no kernel and computes nothing.
 */
#include "ort.h"
#include <stdexcept>

enum Mistake { NEWER_INTERFACE, CUDA_ONLY, LATER_VERSION, EXCEPTION, MISTAKES };

static Mistake mistake;

static const char *provider(const OrtCustomOp *) {
    return mistake == CUDA_ONLY ? "CUDAExecutionProvider" : "CPUExecutionProvider";
}

static OrtStatus *create(const OrtCustomOp *, const OrtApi *api, const OrtKernelInfo *, void **kernel) {
    *kernel = (void *)api;
    return nullptr;
}

static OrtStatus *compute(void *, OrtKernelContext *) {
    throw std::runtime_error("thrown across the border");
}

static OrtCustomOp filled() {
    OrtCustomOp op{};
    op.version = ORT_INTERFACE;
    op.GetName = [](const OrtCustomOp *) { return "CustomGelu"; };
    op.GetExecutionProviderType = provider;
    op.GetInputMemoryType = [](const OrtCustomOp *, size_t) { return OrtMemTypeDefault; };
    op.GetInputTypeCount = op.GetOutputTypeCount = [](const OrtCustomOp *) -> size_t { return 1; };
    op.GetInputType =
        op.GetOutputType = [](const OrtCustomOp *, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
    op.GetInputCharacteristic =
        op.GetOutputCharacteristic = [](const OrtCustomOp *, size_t) { return INPUT_OUTPUT_REQUIRED; };
    op.GetStartVersion = [](const OrtCustomOp *) { return mistake == LATER_VERSION ? 2 : 1; };
    op.GetEndVersion = [](const OrtCustomOp *) { return 2; };
    op.CreateKernelV2 = create;
    op.KernelComputeV2 = compute;
    op.KernelDestroy = [](void *) {};
    return op;
}

extern "C" {

void mistakes_choose(int number) {
    mistake = (Mistake)number;
}

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    static OrtCustomOp operators[MISTAKES]; // they live as long as the process
    const OrtApi *api = base->GetApi(mistake == NEWER_INTERFACE ? 10000 : ORT_INTERFACE);
    if (!api) {
        return base->GetApi(1)->CreateStatus(ORT_FAIL, "this library needs a newer ONNX Runtime");
    }
    OrtCustomOpDomain *domain = nullptr;
    OrtStatus *status = api->CreateCustomOpDomain("cuda.workbook", &domain);
    if (!status) {
        operators[mistake] = filled();
        status = api->CustomOpDomain_Add(domain, &operators[mistake]);
    }
    return status ? status : api->AddCustomOpDomain(options, domain);
}
}
