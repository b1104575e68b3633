// Kernels inside of XLA's programs (jax.jit): the function that XLA calls with buffers and, on a GPU, its stream.
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kernel_object.h"
#include "xla_interface.h"

namespace tilewright::python {
namespace {

using namespace xla;

/// XLA's numbers of element types, by the language's names.
tilewright_type type_of(std::int32_t number) {
  static constexpr struct {
    std::int32_t number;
    tilewright_type type;
  } types[] = {{1, {TILEWRIGHT_BOOL, 8, 1}},     {2, {TILEWRIGHT_INT, 8, 1}},     {4, {TILEWRIGHT_INT, 32, 1}},
               {5, {TILEWRIGHT_INT, 64, 1}},     {6, {TILEWRIGHT_UINT, 8, 1}},    {8, {TILEWRIGHT_UINT, 32, 1}},
               {10, {TILEWRIGHT_FLOAT, 16, 1}},  {11, {TILEWRIGHT_FLOAT, 32, 1}}, {12, {TILEWRIGHT_FLOAT, 64, 1}},
               {16, {TILEWRIGHT_BFLOAT, 16, 1}}, {19, {TILEWRIGHT_F8E5M2, 8, 1}}, {20, {TILEWRIGHT_F8E4M3, 8, 1}}};
  for (const auto& each : types)
    if (each.number == number) return each.type;
  return {255, 0, 1};  // which the C interface refuses
}

/// Kernels that programs of XLA may name. XLA keeps compiled programs for as long as it likes, so none is let go.
struct Registered {
  const tilewright_kernel* kernel;
  std::string device;  ///< "": that of the call
};
struct Registry {
  std::mutex lock;
  std::vector<Registered> kernels;
  std::map<const tilewright_kernel*, std::int64_t> numbers;
};
Registry& registry() {
  static auto& all = *new Registry();
  return all;
}

Error* fail(const Frame& frame, std::int32_t code, const std::string& message) {
  NewError made{sizeof(NewError), nullptr, message.c_str(), code};
  return frame.interface->make_error(&made);
}

Error* fail(const Frame& frame, tilewright_status status, tilewright_error* error) {
  static constexpr std::int32_t codes[] = {0, invalid_argument, unavailable, resource_exhausted, internal, internal};
  const std::string text = tilewright_error_text(error);
  tilewright_error_free(error);
  return fail(frame, codes[status], text.empty() ? "tilewright: out of memory" : text);
}

std::vector<tilewright_tensor> tensors_of(const Buffers& buffers, tilewright_device device) {
  std::vector<tilewright_tensor> tensors;
  for (std::int64_t n = 0; n < buffers.count; ++n) {
    const Buffer& each = *buffers.all[n];
    tensors.push_back({.data = each.data,
                       .device = device,
                       .rank = static_cast<std::int32_t>(each.rank),
                       .type = type_of(each.type),
                       .shape = each.shape,
                       .strides = nullptr,
                       .byte_offset = 0});
  }
  return tensors;
}

/// The kernel whose number is the attribute "kernel"; false where there is none.
bool find_kernel(const Frame& frame, Registered& found) {
  for (std::int64_t n = 0; n < frame.attributes.count; ++n) {
    const Text& name = *frame.attributes.names[n];
    if (std::string_view(name.data, name.size) != "kernel") continue;
    const std::int64_t number =
        *static_cast<const std::int64_t*>(static_cast<const Number*>(frame.attributes.values[n])->value);
    const std::lock_guard lock(registry().lock);
    if (number < 0 || number >= static_cast<std::int64_t>(registry().kernels.size())) return false;
    found = registry().kernels[static_cast<std::size_t>(number)];
    return true;
  }
  return false;
}

/// A program makes its results; XLA has made room for them elsewhere.
Error* run_program(const Frame& frame, const tilewright_engine* engine, const tilewright_kernel* kernel,
                   const std::vector<tilewright_tensor>& operands, const std::vector<tilewright_tensor>& results) {
  std::vector<tilewright_managed_tensor*> made(results.size(), nullptr);
  tilewright_error* error = nullptr;
  const tilewright_status status =
      tilewright_run(engine, kernel, operands.data(), operands.size(), made.data(), &error);
  if (status != TILEWRIGHT_OK) return fail(frame, status, error);
  for (std::size_t n = 0; n < made.size(); ++n) {
    const tilewright_tensor& from = made[n]->tensor;
    std::size_t bytes = from.type.bits / 8U;
    for (std::int32_t axis = 0; axis < from.rank; ++axis) bytes *= static_cast<std::size_t>(from.shape[axis]);
    if (bytes > 0) std::memcpy(results[n].data, static_cast<const char*>(from.data) + from.byte_offset, bytes);
    tilewright_tensor_free(made[n]);
  }
  return nullptr;
}

/// The device and the stream that XLA runs this call on. Null where all is well.
Error* place(const Frame& frame, bool on_gpu, tilewright_device& device, tilewright_call_options& options) {
  device = {TILEWRIGHT_CPU, 0};
  options = {sizeof(tilewright_call_options), 0, nullptr};
  if (!on_gpu) return nullptr;
  StreamRequest stream{sizeof(StreamRequest), nullptr, frame.context, nullptr};
  if (Error* error = frame.interface->stream_of(&stream)) return error;
  options.has_stream = 1;
  options.stream = stream.stream;
  device = {TILEWRIGHT_CUDA, 0};
  if (frame.interface->size < sizeof(Interface)) return nullptr;
  OrdinalRequest ordinal{sizeof(OrdinalRequest), nullptr, frame.context, 0};
  if (Error* error = frame.interface->ordinal_of(&ordinal)) return error;
  device.index = ordinal.ordinal;
  return nullptr;
}

Error* run(const Frame& frame, bool on_gpu) {
  Registered found;
  if (!find_kernel(frame, found)) return fail(frame, internal, "tilewright: no kernel of this number");
  const tilewright_kernel* kernel = found.kernel;
  tilewright_device device;
  tilewright_call_options options;
  if (Error* error = place(frame, on_gpu, device, options)) return error;
  if (found.device.empty()) found.device = on_gpu ? "cuda:" + std::to_string(device.index) : "cpu";
  const tilewright_engine* engine = nullptr;
  tilewright_error* error = nullptr;
  tilewright_status status = open_engine(found.device.c_str(), &engine, &error);
  if (status != TILEWRIGHT_OK) return fail(frame, status, error);
  const auto operands = tensors_of(frame.operands, device), results = tensors_of(frame.results, device);
  if (results.size() != tilewright_kernel_result_count(kernel))
    return fail(frame, invalid_argument, "tilewright: another number of results than the kernel has");
  if (tilewright_kernel_is_program(kernel) != 0)
    return on_gpu ? fail(frame, invalid_argument,
                         "tilewright: programs of several statements run inside of XLA on the "
                         "CPU only; call its statements one by one")
                  : run_program(frame, engine, kernel, operands, results);
  status = tilewright_call(engine, kernel, operands.data(), operands.size(), results.data(), &options, &error);
  return status == TILEWRIGHT_OK ? nullptr : fail(frame, status, error);
}

/// What XLA calls, on threads of its own and without Python's lock.
template <bool on_gpu>
Error* handle(Frame* frame) noexcept {
  if (Extension* asked = frame->extension; asked != nullptr && asked->kind == metadata_extension) {
    Version& version = reinterpret_cast<MetadataExtension*>(asked)->metadata->version;
    version.major = 0;
    version.minor = frame->interface != nullptr ? frame->interface->version.minor : 1;
    return nullptr;
  }
  try {
    return run(*frame, on_gpu);
  } catch (const std::bad_alloc&) {
    return fail(*frame, TILEWRIGHT_OUT_OF_MEMORY, nullptr);
  } catch (const std::exception& exception) {
    return fail(*frame, internal, exception.what());
  }
}

PyObject* capsule_of(Error* (*handler)(Frame*) noexcept) {
  return PyCapsule_New(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET", nullptr);
}

}  // namespace

PyObject* register_for_xla(PyObject*, PyObject* object) {
  KernelObject* self = as_kernel(object);
  const std::lock_guard lock(registry().lock);
  const auto [place, is_added] =
      registry().numbers.emplace(self->kernel, static_cast<std::int64_t>(registry().kernels.size()));
  if (is_added) {
    registry().kernels.push_back({self->kernel, self->device == nullptr ? "" : self->device});
    Py_INCREF(object);
  }
  return PyLong_FromLongLong(place->second);
}

PyObject* xla_handlers(PyObject*, PyObject*) {
  return Py_BuildValue("{sNsN}", "cpu", capsule_of(handle<false>), "CUDA", capsule_of(handle<true>));
}

}  // namespace tilewright::python
