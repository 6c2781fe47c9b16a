/* ort.h - ONNX Runtime's C interface: from its own header where a package has brought one, or else what ort_interface.h declares of it. */
#pragma once

#if __has_include(<onnxruntime_c_api.h>)
#include <onnxruntime_c_api.h> // CPATH=/path/to/include make lesson32
#elif __has_include(<onnxruntime/onnxruntime_c_api.h>)
#include <onnxruntime/onnxruntime_c_api.h> // Debian 13: libonnxruntime-dev
#elif __has_include(<onnxruntime/core/session/onnxruntime_c_api.h>)
#include <onnxruntime/core/session/onnxruntime_c_api.h> // built and installed from source
#else
#include "ort_interface.h"
#endif

/* The version of the interface that we ask for: the first one that can infer shapes. ONNX Runtime 1.17 has it, and every later one. */
enum { ORT_INTERFACE = 17 };
