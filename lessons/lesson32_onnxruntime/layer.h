/* layer.h - the library that exercise 32 calls: bias and GELU of a layer (lessons/lesson27_ctypes/layer.cu, which you need not read).
 *
 * y = scale * gelu(x + bias), where bias has a number for each column of x, and dx = dy * scale * gelu'(x + bias).
 * All functions but layer_error return 0, or a CUDA error's number, for example 1 where scale is not positive.
 */
#pragma once

extern "C" {

struct layer;

/* Makes a layer; the bias is copied before it returns. The caller owns *made. */
int layer_create(struct layer **made, const float *bias, int cols);
/* Waits for the layer's work, and frees it with all its memory. */
int layer_destroy(struct layer *layer);

/* Queue the work. x, dy, y and dx are arrays of the CPU, rows * cols floats, row by row, one behind the other. They are read and written later:
 * until layer_wait they must stay where they are. */
int layer_forward(struct layer *layer, const float *x, float *y, long long rows, float scale);
int layer_backward(struct layer *layer, const float *x, const float *dy, float *dx, long long rows, float scale);
/* Waits until all that is queued is done. */
int layer_wait(struct layer *layer);

/* An error's text. It belongs to the library. */
const char *layer_error(int code);
}
