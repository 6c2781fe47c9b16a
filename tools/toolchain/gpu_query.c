/* Asks the NVIDIA driver which GPUs there are. Needs no CUDA toolkit: it loads libcuda.so.1 at run time.
 *
 * Prints `driver 13000` (the CUDA version that the driver supports, times 1000) and for each GPU a line such as
 * `gpu 90 NVIDIA H200` (compute capability without the dot, name). With no usable GPU it prints why on stderr
 * and exits 1.
 */
#include <dlfcn.h>
#include <stdio.h>

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_… */
enum { NO_DEVICE = 100 };                              /* CUDA_ERROR_NO_DEVICE */

struct driver {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*count)(int *);
    int (*get)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
};

static int load(struct driver *driver) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "the driver's library is missing (%s)\n", dlerror());
        return 0;
    }
    if (dlsym(library, "emulatorIsNoDriver")) { /* its folder is on the library path */
        fprintf(stderr, "the emulator's folder is on the library path, and its libcuda.so.1 is no driver\n");
        return 0;
    }
    *(void **)&driver->init = dlsym(library, "cuInit");
    *(void **)&driver->version = dlsym(library, "cuDriverGetVersion");
    *(void **)&driver->count = dlsym(library, "cuDeviceGetCount");
    *(void **)&driver->get = dlsym(library, "cuDeviceGet");
    *(void **)&driver->name = dlsym(library, "cuDeviceGetName");
    *(void **)&driver->attribute = dlsym(library, "cuDeviceGetAttribute");
    if (!driver->init || !driver->version || !driver->count || !driver->get || !driver->name || !driver->attribute) {
        fprintf(stderr, "libcuda.so.1 lacks the functions of a driver\n");
        return 0;
    }
    return 1;
}

static void print_gpu(const struct driver *driver, int index) {
    int device, major, minor;
    char name[256];
    if (driver->get(&device, index) == 0 && driver->attribute(&major, CAPABILITY_MAJOR, device) == 0 &&
        driver->attribute(&minor, CAPABILITY_MINOR, device) == 0 && driver->name(name, sizeof name, device) == 0) {
        printf("gpu %d%d %s\n", major, minor, name);
    }
}

int main(void) {
    struct driver driver;
    int error, version = 0, count = 0;
    if (!load(&driver)) {
        return 1;
    }
    error = driver.init(0);
    if (error == NO_DEVICE) {
        fprintf(stderr, "the driver shows no GPU (CUDA_VISIBLE_DEVICES may hide it)\n");
        return 1;
    }
    if (error) {
        fprintf(stderr, "the driver does not start (cuInit returns error %d)\n", error);
        return 1;
    }
    driver.version(&version);
    driver.count(&count);
    if (count == 0) {
        fprintf(stderr, "the driver reports no GPU\n");
        return 1;
    }
    printf("driver %d\n", version);
    for (int i = 0; i < count; i++) {
        print_gpu(&driver, i);
    }
    return 0;
}
