/* ort_interface.h - what lesson 32 uses of ONNX Runtime's C interface, declared by ourselves: for machines where no package has its header.
 *
 * Two structs are the whole interface. OrtApi is a table of functions, which ONNX Runtime gives to us. OrtCustomOp is a table of functions that we
 * give to it. Its documentation promises that members are only ever added behind the last one. So a function's place in the table is part of the
 * interface, as its name would be in a library that is linked. What we do not call is counted here, and not named.
 *
 * The names are those of the documentation (onnxruntime.ai/docs/api/c), and tests/lessons/ort_interface.test.sh compares places and types with the real header,
 * where there is one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

// ---------------------------------------------------------------- objects of ONNX Runtime, which we only hand on

typedef struct OrtStatus OrtStatus; // no status, NULL, is success
typedef struct OrtValue OrtValue;   // a tensor
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;

// ---------------------------------------------------------------- numbers

typedef enum OrtErrorCode {
    ORT_OK,
    ORT_FAIL,
    ORT_INVALID_ARGUMENT,
    ORT_NOT_IMPLEMENTED = 9,
} OrtErrorCode;

typedef enum ONNXTensorElementDataType {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
} ONNXTensorElementDataType;

typedef enum OrtCustomOpInputOutputCharacteristic {
    INPUT_OUTPUT_REQUIRED,
    INPUT_OUTPUT_OPTIONAL,
    INPUT_OUTPUT_VARIADIC,
} OrtCustomOpInputOutputCharacteristic;

typedef enum OrtMemType {
    OrtMemTypeDefault = 0, // where the provider has its tensors
    OrtMemTypeCPUInput = -2,
} OrtMemType;

// ---------------------------------------------------------------- the table that we are given

/* The place of each function is the number of those before it. Version 17 of the interface has 276, the last one that we use is number 270. */
typedef struct OrtApi {
    OrtStatus *(*CreateStatus)(OrtErrorCode code, const char *text); // the text is copied
    OrtErrorCode (*GetErrorCode)(const OrtStatus *status);
    const char *(*GetErrorMessage)(const OrtStatus *status);
    void *places_3_to_25[23];
    OrtStatus *(*CreateCustomOpDomain)(const char *name, OrtCustomOpDomain **made);
    OrtStatus *(*CustomOpDomain_Add)(OrtCustomOpDomain *domain, const struct OrtCustomOp *op);
    OrtStatus *(*AddCustomOpDomain)(OrtSessionOptions *options, OrtCustomOpDomain *domain);
    void *places_29_to_50[22];
    OrtStatus *(*GetTensorMutableData)(OrtValue *value, void **data);
    void *places_52_to_59[8];
    OrtStatus *(*GetTensorElementType)(const OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType *type);
    OrtStatus *(*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *info, size_t *count);
    OrtStatus *(*GetDimensions)(const OrtTensorTypeAndShapeInfo *info, int64_t *dimensions, size_t count);
    void *place_63;
    OrtStatus *(*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo *info, size_t *elements);
    OrtStatus *(*GetTensorTypeAndShape)(const OrtValue *value, OrtTensorTypeAndShapeInfo **made); // release it
    void *places_66_to_84[19];
    OrtStatus *(*KernelInfoGetAttribute_float)(const OrtKernelInfo *info, const char *name, float *value);
    OrtStatus *(*KernelInfoGetAttribute_int64)(const OrtKernelInfo *info, const char *name, int64_t *value);
    OrtStatus *(*KernelInfoGetAttribute_string)(const OrtKernelInfo *info, const char *name, char *text, size_t *size);
    OrtStatus *(*KernelContext_GetInputCount)(const OrtKernelContext *context, size_t *count);
    void *place_89;
    OrtStatus *(*KernelContext_GetInput)(const OrtKernelContext *context, size_t index, const OrtValue **value);
    OrtStatus *(*KernelContext_GetOutput)(OrtKernelContext *context, size_t index, const int64_t *dimensions,
                                          size_t count, OrtValue **value);
    void *place_92;
    void (*ReleaseStatus)(OrtStatus *status);
    void *places_94_to_98[5];
    void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *info);
    void *place_100;
    void (*ReleaseCustomOpDomain)(OrtCustomOpDomain *domain);
    void *places_102_to_192[91];
    OrtStatus *(*KernelContext_GetGPUComputeStream)(const OrtKernelContext *context, void **stream);
    void *places_194_to_267[74];
    OrtStatus *(*ShapeInferContext_GetInputTypeShape)(const OrtShapeInferContext *context, size_t index,
                                                      OrtTensorTypeAndShapeInfo **info); // it stays the context's
    void *place_269;
    OrtStatus *(*ShapeInferContext_SetOutputTypeShape)(const OrtShapeInferContext *context, size_t index,
                                                       const OrtTensorTypeAndShapeInfo *info);
} OrtApi;

/* What RegisterCustomOps is called with. GetApi gives NULL for a version that this ONNX Runtime does not know. */
typedef struct OrtApiBase {
    const OrtApi *(*GetApi)(uint32_t version);
    const char *(*GetVersionString)(void);
} OrtApiBase;

// ---------------------------------------------------------------- the table that we give

/* How far it is filled is said by `version`: behind each group stands the version that brought it. */
typedef struct OrtCustomOp {
    uint32_t version;
    void *(*CreateKernel)(const struct OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info);
    const char *(*GetName)(const struct OrtCustomOp *op);
    const char *(*GetExecutionProviderType)(const struct OrtCustomOp *op); // NULL: the CPU
    ONNXTensorElementDataType (*GetInputType)(const struct OrtCustomOp *op, size_t index);
    size_t (*GetInputTypeCount)(const struct OrtCustomOp *op);
    ONNXTensorElementDataType (*GetOutputType)(const struct OrtCustomOp *op, size_t index);
    size_t (*GetOutputTypeCount)(const struct OrtCustomOp *op);
    void (*KernelCompute)(void *kernel, OrtKernelContext *context);
    void (*KernelDestroy)(void *kernel); // 1

    OrtCustomOpInputOutputCharacteristic (*GetInputCharacteristic)(const struct OrtCustomOp *op, size_t index);
    OrtCustomOpInputOutputCharacteristic (*GetOutputCharacteristic)(const struct OrtCustomOp *op, size_t index); // 8

    OrtMemType (*GetInputMemoryType)(const struct OrtCustomOp *op, size_t index); // 13

    int (*GetVariadicInputMinArity)(const struct OrtCustomOp *op);
    int (*GetVariadicInputHomogeneity)(const struct OrtCustomOp *op);
    int (*GetVariadicOutputMinArity)(const struct OrtCustomOp *op);
    int (*GetVariadicOutputHomogeneity)(const struct OrtCustomOp *op); // 14

    OrtStatus *(*CreateKernelV2)(const struct OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info,
                                 void **kernel);
    OrtStatus *(*KernelComputeV2)(void *kernel, OrtKernelContext *context); // 16

    OrtStatus *(*InferOutputShapeFn)(const struct OrtCustomOp *op, OrtShapeInferContext *context);
    int (*GetStartVersion)(const struct OrtCustomOp *op);
    int (*GetEndVersion)(const struct OrtCustomOp *op); // 17

    void *places_22_to_25[4]; // 18: outputs in the memory of inputs
} OrtCustomOp;
}
