// Engines and calls of the C interface.
#include "c/handles.h"
#include "runtime/thread_pool.h"

using namespace tilewright;
using tilewright::c::guarded;
using tilewright::c::Operands;
using tilewright::c::require;

namespace {

/// Adds the operands, then the output where there is one; false where a checked call must say what is wrong with one.
bool is_described(c::References& refs, const tilewright_kernel& kernel, const tilewright_tensor* operands,
                  std::size_t count, const tilewright_tensor* output) {
  if (count != kernel.kernel.operand_names().size() || (operands == nullptr && count > 0)) return false;
  refs.reserve(count + 1);
  for (std::size_t n = 0; n < count; ++n)
    if (!refs.add(operands[n])) return false;
  return output == nullptr || refs.add(*output);
}

}  // namespace

uint32_t tilewright_interface(void) {
  return TILEWRIGHT_INTERFACE;
}

const char* tilewright_version(void) {
  return TILEWRIGHT_VERSION;
}

tilewright_status tilewright_engine_open(const char* device, const tilewright_engine_options* options,
                                         tilewright_engine** engine, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}}); !given) return given;
    *engine = nullptr;
    const auto chosen = c::options_of(options, "tilewright_engine_options");
    if (!chosen) return std::unexpected(chosen.error());
    Result<Engine> opened =
        Engine::open(device == nullptr ? "cpu" : device,
                     {.disk_cache = chosen->no_disk_cache == 0, .workspace_limit = chosen->workspace_limit});
    if (!opened) return std::unexpected(std::move(opened.error()));
    *engine = new tilewright_engine{*opened, opened->device_name(), opened->processor()};
    return {};
  });
}

void tilewright_engine_free(tilewright_engine* engine) {
  delete engine;
}

const char* tilewright_engine_device(const tilewright_engine* engine) {
  return engine == nullptr ? "" : engine->device.c_str();
}

const char* tilewright_engine_processor(const tilewright_engine* engine) {
  return engine == nullptr ? "" : engine->processor.c_str();
}

void tilewright_set_threads(int32_t count) {
  set_threads(count);
}

int32_t tilewright_threads(void) {
  return threads();
}

tilewright_status tilewright_result_type(const tilewright_kernel* kernel, const tilewright_tensor* operands,
                                         size_t count, tilewright_type* type, int32_t* rank, int64_t* shape,
                                         tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{kernel, "kernel"}, {type, "type"}, {rank, "rank"}, {shape, "shape"}}); !given)
      return given;
    if (c::References refs; is_described(refs, *kernel, operands, count, nullptr))
      if (const auto known = known_result_type(kernel->kernel, refs.all())) {
        c::describe(known->first, known->second, type, rank, shape);
        return {};
      }
    const auto read = Operands::of(*kernel, operands, count);
    if (!read) return std::unexpected(read.error());
    const auto result = result_type(kernel->kernel, read->pointers);
    if (!result) return std::unexpected(result.error());
    c::describe(result->first, result->second, type, rank, shape);
    return {};
  });
}

tilewright_status tilewright_call(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                  const tilewright_tensor* operands, size_t count, const tilewright_tensor* output,
                                  const tilewright_call_options* options, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {kernel, "kernel"}, {output, "output"}}); !given) return given;
    const auto chosen = c::options_of(options, "tilewright_call_options");
    if (!chosen) return std::unexpected(chosen.error());
    CallOptions call;
    if (chosen->has_stream != 0) call.stream = chosen->stream;
    if (c::References refs; is_described(refs, *kernel, operands, count, output))
      if (const auto done = engine->engine.call_again(kernel->kernel, refs.operands(), refs.output(), call))
        return *done;
    const auto read = Operands::of(*kernel, operands, count);
    if (!read) return std::unexpected(read.error());
    const auto written = c::borrow(output, kernel->results.front());
    if (!written) return std::unexpected(written.error());
    return engine->engine.call(kernel->kernel, read->pointers, *written, call);
  });
}

tilewright_status tilewright_run(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                 const tilewright_tensor* operands, size_t count, tilewright_managed_tensor** results,
                                 tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {kernel, "kernel"}, {results, "results"}}); !given) return given;
    const auto read = Operands::of(*kernel, operands, count);
    if (!read) return std::unexpected(read.error());
    const auto made = engine->engine.run(kernel->kernel, read->named(kernel->kernel));
    if (!made) return std::unexpected(made.error());
    for (std::size_t n = 0; n < made->size(); ++n) results[n] = c::exported((*made)[n].tensor);
    return {};
  });
}

namespace {

/// `copy` is what the engine made of the tensor; where that is the tensor itself, whose memory is the caller's, a
/// clone.
Result<void> copied(const tilewright_tensor* tensor, tilewright_managed_tensor** copy, auto&& transfer) {
  const auto source = c::borrow(tensor, "tensor");
  if (!source) return std::unexpected(source.error());
  Result<Tensor> made = transfer(*source);
  if (made && made->data() == source->data()) made = source->clone();
  if (!made) return std::unexpected(std::move(made.error()));
  *copy = c::exported(*made);
  return {};
}

}  // namespace

tilewright_status tilewright_to_device(const tilewright_engine* engine, const tilewright_tensor* tensor,
                                       tilewright_managed_tensor** copy, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {tensor, "tensor"}, {copy, "copy"}}); !given) return given;
    return copied(tensor, copy, [&](const Tensor& host) { return engine->engine.to_device(host); });
  });
}

tilewright_status tilewright_to_host(const tilewright_engine* engine, const tilewright_tensor* tensor,
                                     tilewright_managed_tensor** copy, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {tensor, "tensor"}, {copy, "copy"}}); !given) return given;
    return copied(tensor, copy, [&](const Tensor& there) { return engine->engine.to_host(there); });
  });
}
