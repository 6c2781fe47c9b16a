/* binding.cpp - what Python sees: the module _ivf. Arrays come from NumPy or, through DLPack, from a device; results go back the same way. */
#include "../../../lesson28_pybind11/package/src/dlpack.h"
#include "index.h"
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace py::literals;

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<int, py::array::c_style | py::array::forcecast>;

// ---------------------------------------------------------------- arrays on the device, ours and others'

/* Rows of floats or of whole numbers, 4 bytes each. */
struct Block {
    Block(int64_t rows, int64_t cols, uint8_t code) : words((size_t)(rows * cols)), shape{rows, cols}, code(code) {}
    Memory<float> words;
    int64_t shape[2];
    uint8_t code; // DL_FLOAT or DL_INT
};

class DeviceArray {
  public:
    explicit DeviceArray(std::shared_ptr<Block> block) : block(std::move(block)) {}
    explicit DeviceArray(const Floats &x) {
        if (x.ndim() != 2) {
            throw py::value_error("an array of two dimensions is needed");
        }
        block = std::make_shared<Block>(x.shape(0), x.shape(1), DL_FLOAT);
        block->words.from_host(x.data(), x.size());
    }
    py::array numpy() const {
        py::array y(block->code == DL_FLOAT ? py::dtype::of<float>() : py::dtype::of<int>(),
                    {block->shape[0], block->shape[1]});
        std::shared_ptr<Block> kept = block;
        auto *result = (float *)y.mutable_data();
        size_t size = y.size();
        py::gil_scoped_release others_may_run;
        kept->words.to_host(result, size);
        return y;
    }
    std::shared_ptr<Block> block;
};

/* The device that this memory belongs to. */
static int device_of(const void *data) {
    cudaPointerAttributes about = {};
    check(cudaPointerGetAttributes(&about, data));
    return about.device;
}

/* Of what a consumer may ask for: another device or a copy, which we do not make. Of the struct's versions (max_version) it gets the oldest one,
 * which every consumer reads. */
static void require_exportable(const void *data, const py::object &dl_device, const py::object &copy) {
    if (!dl_device.is_none() && !dl_device.equal(py::make_tuple((int)DL_CUDA, device_of(data)))) {
        throw py::buffer_error("this array is exported on its own device only");
    }
    if (!copy.is_none() && copy.cast<bool>()) {
        throw py::buffer_error("this array is exported without a copy only");
    }
}

struct Exported : DLManagedTensor {
    explicit Exported(std::shared_ptr<Block> shared) : DLManagedTensor{}, block(std::move(shared)) {
        tensor.data = block->words.data;
        tensor.device = {DL_CUDA, device_of(block->words.data)};
        tensor.dimensions = 2;
        tensor.dtype = {block->code, 32, 1};
        tensor.shape = block->shape;
        deleter = [](DLManagedTensor *self) { delete static_cast<Exported *>(self); };
    }
    std::shared_ptr<Block> block;
};

static py::capsule to_dlpack(const DeviceArray &array, const py::object & /* stream: our work is done */,
                             const py::object & /* max_version */, const py::object &dl_device,
                             const py::object &copy) {
    require_exportable(array.block->words.data, dl_device, copy);
    DLManagedTensor *exported = new Exported(array.block);
    return py::capsule(exported, "dltensor", [](PyObject *capsule) {
        if (PyCapsule_IsValid(capsule, "dltensor")) {
            auto *left = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
            left->deleter(left);
        }
    });
}

static bool is_on_device(const py::object &array) {
    if (!py::hasattr(array, "__dlpack_device__")) {
        return false;
    }
    py::tuple device = array.attr("__dlpack_device__")();
    if (device[0].cast<int>() != DL_CUDA) {
        return false;
    }
    int current = 0;
    check(cudaGetDevice(&current));
    if (device[1].cast<int>() != current) { // a kernel here could not read it
        throw py::value_error("the array must be on the current CUDA device");
    }
    return true;
}

/* Vectors that a caller has handed over, on the device while this object lives: his own memory, or a copy. */
class Given {
  public:
    Given(const py::object &array, int d) : d(d) {
        if (is_on_device(array)) {
            borrow(array);
        } else {
            auto floats = Floats::ensure(array);
            if (!floats) {
                throw py::error_already_set();
            }
            require_shape(floats.ndim(), floats.ndim() == 2 ? floats.shape(1) : 0);
            n = count_of(floats.shape(0));
            from = floats;
            host = from.data();
        }
    }
    /* To be called without the GIL. Copies, if that is needed. */
    Rows rows() {
        if (taken) {
            return {(const float *)((const char *)taken->tensor.data + taken->tensor.byte_offset), n};
        }
        copy.from_host(host, (size_t)n * d);
        return {copy.data, n};
    }
    bool on_device() const { return (bool)taken; }
    int count() const { return n; }

  private:
    void require_shape(py::ssize_t dimensions, int64_t columns) const {
        if (dimensions != 2 || columns != d) {
            throw py::value_error("an array of two dimensions is needed, with d columns");
        }
    }
    static int count_of(int64_t rows) {
        if (rows > 1 << 30) {
            throw py::value_error("there may be 2^30 vectors");
        }
        return (int)rows;
    }
    void borrow(const py::object &array) {
        py::capsule capsule = array.attr("__dlpack__")("stream"_a = 1);
        taken.reset(static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")));
        if (!taken) {
            throw py::error_already_set();
        }
        PyCapsule_SetName(capsule.ptr(), "used_dltensor");
        const DLTensor &tensor = taken->tensor;
        if (tensor.dtype.code != DL_FLOAT || tensor.dtype.bits != 32 || tensor.dtype.lanes != 1) {
            throw py::type_error("an array on the device must be of float32");
        }
        require_shape(tensor.dimensions, tensor.dimensions == 2 ? tensor.shape[1] : 0);
        n = count_of(tensor.shape[0]);
        if (tensor.strides && n > 0 && ((n > 1 && tensor.strides[0] != d) || (d > 1 && tensor.strides[1] != 1))) {
            throw py::value_error("an array on the device must be contiguous");
        }
    }
    struct GiveBack {
        void operator()(DLManagedTensor *self) const {
            if (self->deleter) {
                self->deleter(self);
            }
        }
    };
    std::unique_ptr<DLManagedTensor, GiveBack> taken;
    Floats from; // keeps the caller's array, or what NumPy has converted it to
    const float *host = nullptr;
    Memory<float> copy;
    int n = 0, d;
};

// ---------------------------------------------------------------- calls: the GIL is given back while kernels work

/* search(vectors of the queries, where the results go). */
template <class Searched, class Search>
static py::tuple find(Searched &in, const py::object &array, int k, Search search) {
    Given queries(array, in.d);
    if (k < 1 || k > MOST) {
        throw py::value_error("k must be from 1 to 128");
    }
    auto distances = std::make_shared<Block>(queries.count(), k, DL_FLOAT);
    auto ids = std::make_shared<Block>(queries.count(), k, DL_INT);
    {
        py::gil_scoped_release others_may_run;
        std::lock_guard<std::mutex> alone(in.lock);
        search(queries.rows(), Found{distances->words.data, (int *)ids->words.data});
    }
    DeviceArray there(distances), ids_there(ids);
    if (queries.on_device()) {
        return py::make_tuple(there, ids_there);
    }
    return py::make_tuple(there.numpy(), ids_there.numpy());
}

template <class Searched> static void add(Searched &to, const py::object &array) {
    Given x(array, to.d);
    py::gil_scoped_release others_may_run;
    std::lock_guard<std::mutex> alone(to.lock);
    to.add(x.rows());
}

/* With the vectors x[rows], in that order. */
static int train(Index &index, const py::object &array, const Ints &rows, int rounds) {
    Given x(array, index.d);
    const int *chosen = rows.data();
    int count = (int)rows.size();
    for (int i = 0; i < count; i++) {
        if (chosen[i] < 0 || chosen[i] >= x.count()) {
            throw py::index_error("a row of the sample is not there");
        }
    }
    py::gil_scoped_release others_may_run;
    std::lock_guard<std::mutex> alone(index.lock);
    Memory<int> rows_there;
    rows_there.from_host(chosen, count);
    Memory<float> sample((size_t)count * index.d);
    check(gather_rows(x.rows().data, index.d, rows_there.data, count, sample.data));
    return index.train({sample.data, count}, rounds);
}

static py::array_t<int> probes(Index &index, const py::object &array, int nprobe) {
    Given queries(array, index.d);
    py::array_t<int> lists({(py::ssize_t)queries.count(), (py::ssize_t)std::max(nprobe, 0)});
    int *result = lists.mutable_data();
    py::gil_scoped_release others_may_run;
    std::lock_guard<std::mutex> alone(index.lock);
    Memory<int> there((size_t)queries.count() * std::max(nprobe, 0));
    index.probes(queries.rows(), nprobe, there.data);
    there.to_host(result, there.n);
    return lists;
}

static py::array_t<int> assignment(Index &index, const py::object &array) {
    Given x(array, index.d);
    py::array_t<int> lists(x.count());
    int *result = lists.mutable_data();
    py::gil_scoped_release others_may_run;
    std::lock_guard<std::mutex> alone(index.lock);
    index.assignment(x.rows(), result);
    return lists;
}

static py::array_t<float> centroids(Index &index) {
    py::array_t<float> all({index.nlist, index.d});
    std::lock_guard<std::mutex> alone(index.lock); // who has it needs no GIL to come to its end
    index.copy_centroids(all.mutable_data());
    return all;
}

static void set_centroids(Index &index, const Floats &from) {
    if (from.ndim() != 2 || from.shape(0) != index.nlist || from.shape(1) != index.d) {
        throw py::value_error("centroids must have nlist rows of d numbers");
    }
    const float *host = from.data();
    py::gil_scoped_release others_may_run;
    std::lock_guard<std::mutex> alone(index.lock);
    index.set_centroids(host);
}

static py::array_t<int> as_array(const std::vector<int> &numbers) {
    return py::array_t<int>((py::ssize_t)numbers.size(), numbers.data());
}

// ---------------------------------------------------------------- the module

static void translate_errors(py::module_ &m) {
    static PyObject *type = py::exception<CudaError>(m, "CudaError").release().ptr();
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const CudaError &error) {
            py::object raised = py::reinterpret_borrow<py::object>(type)(error.what());
            raised.attr("code") = (int)error.code;
            PyErr_SetObject(type, raised.ptr());
        }
    });
}

static void bind_device_array(py::module_ &m) {
    py::class_<DeviceArray>(m, "DeviceArray", "Rows of numbers on the device, owned by this object.")
        .def(py::init<const Floats &>(), "x"_a, "A copy of x.")
        .def("numpy", &DeviceArray::numpy, "A copy in CPU memory.")
        .def("__dlpack__", &to_dlpack, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
             "dl_device"_a = py::none(), "copy"_a = py::none())
        .def("__dlpack_device__",
             [](const DeviceArray &self) { return py::make_tuple((int)DL_CUDA, device_of(self.block->words.data)); });
}

static void bind_index(py::module_ &m) {
    py::class_<Index>(m, "Index")
        .def(py::init([](int d, int nlist, bool half, bool rows) {
                 return new Index(d, nlist, half ? HALF : SINGLE, rows ? ROWS : GROUPS);
             }),
             "d"_a, "nlist"_a, "half"_a, "rows"_a)
        .def("train", &train, "x"_a, "rows"_a, "rounds"_a)
        .def("add", &add<Index>, "x"_a)
        .def(
            "search",
            [](Index &self, const py::object &queries, int k, int nprobe, int version) {
                return find(self, queries, k, [&](Rows q, Found found) { self.search(q, k, nprobe, version, found); });
            },
            "queries"_a, "k"_a, "nprobe"_a, "version"_a)
        .def("probes", &probes, "queries"_a, "nprobe"_a)
        .def("assignment", &assignment, "x"_a)
        .def("centroids", &centroids)
        .def("set_centroids", &set_centroids, "centroids"_a)
        .def("list_lengths",
             [](Index &self) {
                 std::lock_guard<std::mutex> alone(self.lock);
                 return as_array(self.list_lengths());
             })
        .def("list_ids",
             [](Index &self) {
                 std::lock_guard<std::mutex> alone(self.lock);
                 return as_array(self.list_ids());
             })
        .def_readonly("ntotal", &Index::ntotal)
        .def_readonly("trained", &Index::trained);
}

PYBIND11_MODULE(_ivf, m) {
    m.doc() = "An inverted-file index on the GPU: the compiled part of ivf_flat.";
    translate_errors(m);
    bind_device_array(m);
    bind_index(m);
    py::class_<Flat>(m, "Flat")
        .def(py::init([](int d, bool half) { return new Flat(d, half ? HALF : SINGLE); }), "d"_a, "half"_a)
        .def("add", &add<Flat>, "x"_a)
        .def(
            "search",
            [](Flat &self, const py::object &queries, int k, int version) {
                return find(self, queries, k, [&](Rows q, Found found) { self.search(q, k, version, found); });
            },
            "queries"_a, "k"_a, "version"_a)
        .def_readonly("ntotal", &Flat::ntotal);
    m.def("bytes_held", [] { return bytes_held.load(); });
}
