/* spy.cu - the grader of exercise 32 between ONNX Runtime and the exercise: a library of operators that loads the exercise, and hands it a table of
 * functions in which some are ours. They call the real ones, and
 *
 *   - count what the exercise is given and has to give back: statuses, and descriptions of shapes; and what it may not give back, domains;
 *   - poison an output before the exercise writes it;
 *   - let a thread wait until another one is as far, if that is asked for: so both are in the exercise's code.
 *
 * It has no device code.
 */
#include "ort.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>

enum { FUNCTIONS = 276 }; // of version 17 of the interface
static_assert(ORT_INTERFACE == 17, "count the functions anew");

static const OrtApi *real;
static void *copied[FUNCTIONS];
static OrtApi &ours = *(OrtApi *)copied; // beyond these nothing is read
static OrtStatus *(*register_exercise)(OrtSessionOptions *, const OrtApiBase *);
static std::atomic<int> statuses, infos, domains_released;

/* So many threads wait for each other, each when it has its output. */
static struct {
    std::mutex lock;
    std::condition_variable changed;
    int awaited;
} meeting;

enum { PATIENCE = 3 }; // seconds: an exercise that lets one thread in after the other is right, too

// ---------------------------------------------------------------- functions of ours

static OrtStatus *counted(OrtStatus *status) {
    statuses += status != nullptr;
    return status;
}

static void release_status(OrtStatus *status) noexcept {
    statuses -= status != nullptr;
    real->ReleaseStatus(status);
}

static OrtStatus *attribute_float(const OrtKernelInfo *info, const char *name, float *value) noexcept {
    return counted(real->KernelInfoGetAttribute_float(info, name, value));
}

static OrtStatus *type_and_shape(const OrtValue *value, OrtTensorTypeAndShapeInfo **made) noexcept {
    OrtStatus *status = real->GetTensorTypeAndShape(value, made);
    infos += status == nullptr;
    return status;
}

static void release_info(OrtTensorTypeAndShapeInfo *info) noexcept {
    infos -= info != nullptr;
    real->ReleaseTensorTypeAndShapeInfo(info);
}

/* None is released: sessions use it. */
static void release_domain(OrtCustomOpDomain *domain) noexcept {
    domains_released += domain != nullptr;
}

/* verify.py's poison: a NaN that arithmetic does not make. */
static void poison(OrtValue *value) {
    OrtTensorTypeAndShapeInfo *info = nullptr;
    size_t elements = 0;
    void *data = nullptr;
    if (real->GetTensorTypeAndShape(value, &info) || real->GetTensorShapeElementCount(info, &elements) ||
        real->GetTensorMutableData(value, &data)) {
        return;
    }
    real->ReleaseTensorTypeAndShapeInfo(info);
    for (size_t i = 0; i < elements; i++) {
        memcpy((uint32_t *)data + i, "\xFD\xFF\xFD\xFF", 4);
    }
}

static void meet() {
    std::unique_lock<std::mutex> guard(meeting.lock);
    meeting.awaited--;
    meeting.changed.notify_all();
    meeting.changed.wait_for(guard, std::chrono::seconds(PATIENCE), [] { return meeting.awaited <= 0; });
}

static OrtStatus *output(OrtKernelContext *context, size_t index, const int64_t *dimensions, size_t count,
                         OrtValue **value) noexcept {
    OrtStatus *status = real->KernelContext_GetOutput(context, index, dimensions, count, value);
    if (!status && *value) {
        poison(*value);
    }
    meet();
    return status;
}

// ---------------------------------------------------------------- a table in the place of the exercise's

/* ONNX Runtime hands its functions to CreateKernelV2, too. So it gets a table that hands on ours, and all else as it is. */
struct Wrapped : OrtCustomOp {
    explicit Wrapped(const OrtCustomOp *theirs);
    const OrtCustomOp *theirs;
};

static const OrtCustomOp *theirs_of(const OrtCustomOp *op) {
    return ((const Wrapped *)op)->theirs;
}

#define FORWARD(name)                                                                                                  \
    if (theirs->name) {                                                                                                \
        name = [](const OrtCustomOp *op) { return theirs_of(op)->name(theirs_of(op)); };                               \
    }
#define FORWARD_INDEX(name)                                                                                            \
    if (theirs->name) {                                                                                                \
        name = [](const OrtCustomOp *op, size_t index) { return theirs_of(op)->name(theirs_of(op), index); };          \
    }

Wrapped::Wrapped(const OrtCustomOp *theirs) : OrtCustomOp{}, theirs(theirs) {
    version = theirs->version < ORT_INTERFACE ? theirs->version : (uint32_t)ORT_INTERFACE;
    FORWARD(GetName)
    FORWARD(GetExecutionProviderType)
    FORWARD(GetInputTypeCount)
    FORWARD(GetOutputTypeCount)
    FORWARD(GetVariadicInputMinArity)
    FORWARD(GetVariadicInputHomogeneity)
    FORWARD(GetVariadicOutputMinArity)
    FORWARD(GetVariadicOutputHomogeneity)
    FORWARD(GetStartVersion)
    FORWARD(GetEndVersion)
    FORWARD_INDEX(GetInputType)
    FORWARD_INDEX(GetOutputType)
    FORWARD_INDEX(GetInputCharacteristic)
    FORWARD_INDEX(GetOutputCharacteristic)
    FORWARD_INDEX(GetInputMemoryType)
    KernelCompute = theirs->KernelCompute;
    KernelComputeV2 = theirs->KernelComputeV2;
    KernelDestroy = theirs->KernelDestroy;
    if (theirs->CreateKernel) {
        CreateKernel = [](const OrtCustomOp *op, const OrtApi *, const OrtKernelInfo *info) {
            return theirs_of(op)->CreateKernel(theirs_of(op), &ours, info);
        };
    }
    if (theirs->CreateKernelV2) {
        CreateKernelV2 = [](const OrtCustomOp *op, const OrtApi *, const OrtKernelInfo *info, void **kernel) {
            return theirs_of(op)->CreateKernelV2(theirs_of(op), &ours, info, kernel);
        };
    }
    if (theirs->InferOutputShapeFn) {
        InferOutputShapeFn = [](const OrtCustomOp *op, OrtShapeInferContext *context) {
            return theirs_of(op)->InferOutputShapeFn(theirs_of(op), context);
        };
    }
}

static OrtStatus *add(OrtCustomOpDomain *domain, const OrtCustomOp *op) noexcept {
    return real->CustomOpDomain_Add(domain, new Wrapped(op)); // ONNX Runtime keeps it as long as the domain
}

// ---------------------------------------------------------------- what ONNX Runtime and the grader call

static const OrtApi *api_of(uint32_t version) noexcept {
    return version <= ORT_INTERFACE ? &ours : nullptr;
}

static const char *version_string() noexcept {
    return "1.17.0";
}

extern "C" {

/* Loads the exercise. What is wrong with it, or an empty text. */
const char *spy_open(const char *path) {
    static std::string wrong;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        register_exercise = (decltype(register_exercise))dlsym(library, "RegisterCustomOps");
    }
    wrong = library && register_exercise ? "" : dlerror();
    return wrong.c_str();
}

void spy_meet(int threads) {
    std::lock_guard<std::mutex> guard(meeting.lock);
    meeting.awaited = threads;
}

int spy_statuses(void) {
    return statuses;
}

int spy_domains_released(void) {
    return domains_released;
}

int spy_infos(void) {
    return infos;
}

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    static const OrtApiBase instead = {api_of, version_string};
    real = base->GetApi(ORT_INTERFACE);
    memcpy(copied, real, sizeof copied);
    ours.CustomOpDomain_Add = add;
    ours.ReleaseCustomOpDomain = release_domain;
    ours.KernelInfoGetAttribute_float = attribute_float;
    ours.ReleaseStatus = release_status;
    ours.GetTensorTypeAndShape = type_and_shape;
    ours.ReleaseTensorTypeAndShapeInfo = release_info;
    ours.KernelContext_GetOutput = output;
    return register_exercise(options, &instead);
}
}
