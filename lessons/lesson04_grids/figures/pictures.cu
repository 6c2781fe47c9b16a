/* Prints two of lesson 04's figures: what its blur makes of the picture, and what four mistakes make of it. draw.py
 * builds and runs this:
 *
 *     pictures blur > blur.svg          pictures mistakes > mistakes.svg
 *
 * A figure shows each pixel as a square, in one of 4096 colours; neighbours in a row that have the same are one
 * rectangle.
 */
#define main lesson04_main
#include "../lesson04.cu"
#undef main

enum { WIDE = 72, HIGH = 45, GAP = 1 };

// ---------------------------------------------------------------- four mistakes

/* x and y swapped, and the grid as it was. */
static __global__ void swapped_kernel(const float *in, float *out, struct shape s) {
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    size_t plane = (size_t)blockIdx.z * s.height * s.pitch;
    if (x < s.width && y < s.height) {
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, s, x, y);
    }
}

/* The input is taken to have no gaps between its rows. */
static __global__ void width_for_pitch_kernel(const float *in, float *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = (size_t)blockIdx.z * s.height * s.pitch;
    if (x < s.width && y < s.height) {
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, {s.width, s.height, s.width}, x, y);
    }
}

/* The input is taken to be stored column after column. */
static __global__ void columns_kernel(const float *in, float *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = (size_t)blockIdx.z * s.height * s.pitch;
    if (x < s.width && y < s.height) {
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, {s.height, s.width, s.height}, y, x);
    }
}

static dim3 grid_for(struct shape s) {
    return dim3(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y), PLANES);
}

static void swapped(const float *in, float *out, struct shape s, cudaStream_t stream) {
    swapped_kernel<<<grid_for(s), dim3(BLOCK_X, BLOCK_Y), 0, stream>>>(in, out, s);
}

static void width_for_pitch(const float *in, float *out, struct shape s, cudaStream_t stream) {
    width_for_pitch_kernel<<<grid_for(s), dim3(BLOCK_X, BLOCK_Y), 0, stream>>>(in, out, s);
}

static void columns(const float *in, float *out, struct shape s, cudaStream_t stream) {
    columns_kernel<<<grid_for(s), dim3(BLOCK_X, BLOCK_Y), 0, stream>>>(in, out, s);
}

static void rounded_down(const float *in, float *out, struct shape s, cudaStream_t stream) {
    dim3 grid(s.width / BLOCK_X, s.height / BLOCK_Y, PLANES);
    blur_kernel2<<<grid, dim3(BLOCK_X, BLOCK_Y), 0, stream>>>(in, out, s);
}

// ---------------------------------------------------------------- pixels

/* Three hexadecimal digits, as in fill="#fa3". */
static int colour_of(const struct problem *p, const float *planes, int x, int y) {
    size_t plane = (size_t)p->shape.width * p->shape.height, at = (size_t)y * p->shape.width + x;
    int colour = 0;
    for (int z = 0; z < PLANES; z++) {
        colour = colour << 4 | picture_shade(planes[z * plane + at]) >> 4;
    }
    return colour;
}

/* Prints one path for all pixels of one colour. */
static void print_colour(const struct problem *p, const float *planes, int colour) {
    bool begun = false;
    for (int y = 0; y < p->shape.height; y++) {
        for (int x = 0, end = 0; x < p->shape.width; x = end) {
            int here = colour_of(p, planes, x, y);
            for (end = x + 1; end < p->shape.width && colour_of(p, planes, end, y) == here; end++) {
            }
            if (here == colour) {
                if (!begun) {
                    printf("    <path fill=\"#%03x\" d=\"", colour);
                }
                printf("M%d %dh%dv1h-%dz", x, y, end - x, end - x);
                begun = true;
            }
        }
    }
    if (begun) {
        printf("\"/>\n");
    }
}

static void print_panel(const struct problem *p, const float *planes, int column, int row, double scale,
                        const char *caption) {
    double left = 20 + column * (scale * WIDE + 20), top = 20 + row * (scale * HIGH + 46);
    bool there[4096] = {};
    for (int y = 0; y < p->shape.height; y++) {
        for (int x = 0; x < p->shape.width; x++) {
            there[colour_of(p, planes, x, y)] = true;
        }
    }
    printf("  <g transform=\"translate(%.1f %.1f) scale(%.2f)\" shape-rendering=\"crispEdges\">\n", left, top, scale);
    for (int colour = 0; colour < 4096; colour++) {
        if (there[colour]) {
            print_colour(p, planes, colour);
        }
    }
    printf("  </g>\n");
    printf("  <text x=\"%.1f\" y=\"%.1f\">%s</text>\n", left, top + scale * HIGH + 20, caption);
}

static void print_head(int rows, double scale, const char *title, const char *description) {
    double width = 60 + 2 * scale * WIDE, height = 20 + rows * (scale * HIGH + 46);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
           "role=\"img\" "
           "aria-labelledby=\"title desc\">\n",
           width, height, width, height);
    printf("  <title id=\"title\">%s</title>\n  <desc id=\"desc\">%s</desc>\n", title, description);
    printf("  <style>\n    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }\n  "
           "</style>\n");
    printf("  <rect x=\"1\" y=\"1\" width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n",
           width - 2, height - 2);
}

// ---------------------------------------------------------------- the figures

static struct problem drawn(int gap) {
    struct shape s = {WIDE, HIGH, WIDE + gap};
    float *planes = (float *)verify_host_alloc((size_t)PLANES * WIDE * HIGH * sizeof(float));
    picture_draw(planes, WIDE, HIGH);
    struct problem p = problem_create(s, planes);
    free(planes);
    return p;
}

static void let_run(struct problem *p, const struct version *version) {
    problem_reset(p, version);
    problem_launch(p, 0);
    CUDA_CHECK_LAUNCH();
    problem_fetch(p);
}

static void print_blur(void) {
    struct problem p = drawn(0);
    let_run(&p, &versions[1]);
    print_head(1, 5, "A picture before and after the blur",
               "On the left a picture of 72 x 45 pixels with a sun, a red letter F, a hill and a chequered road. On "
               "the right the same, "
               "with soft edges.");
    print_panel(&p, p.input, 0, 0, 5, "before: 72 x 45 pixels");
    print_panel(&p, p.found, 1, 0, 5, "after: each pixel is the average of 5 x 5");
    printf("</svg>\n");
    problem_free(&p);
}

static void print_mistakes(void) {
    static const struct {
        struct version version;
        int gap;
        const char *caption;
    } mistakes[] = {
        {{"rounded down", rounded_down, IN_PLANES}, 0, "A. black: never written"},
        {{"swapped", swapped, IN_PLANES}, 0, "B. black: never written"},
        {{"width for pitch", width_for_pitch, IN_PLANES}, GAP, "C. black: read between the rows"},
        {{"columns", columns, IN_PLANES}, 0, "D. all there, but where?"},
    };
    print_head(2, 5, "The blur with four mistakes",
               "A: a strip on the right and one at the bottom are black. B: the right part is black. C: the picture "
               "leans to the right, "
               "with a black stripe through it. D: stripes in which nothing can be made out.");
    for (int m = 0; m < 4; m++) {
        struct problem p = drawn(mistakes[m].gap);
        let_run(&p, &mistakes[m].version);
        print_panel(&p, p.found, m % 2, m / 2, 5, mistakes[m].caption);
        problem_free(&p);
    }
    printf("</svg>\n");
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "blur") == 0) {
        print_blur();
    } else if (argc == 2 && strcmp(argv[1], "mistakes") == 0) {
        print_mistakes();
    } else {
        fprintf(stderr, "usage: %s blur|mistakes\n", argv[0]);
        return CHECK_EXIT_USAGE;
    }
    return CHECK_EXIT_PASS;
}
