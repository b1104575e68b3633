// Loading code and asking about it; launch.cpp launches it. See module.h.
#include "runtime/cuda/module.h"

#include <fmt/format.h>

namespace tilewright::cuda {
namespace {

struct PropertyRow {
  FunctionAttribute attribute;
  int FunctionProperties::* field;
};
constexpr std::array<PropertyRow, 6> property_rows{{
    {FunctionAttribute::registers, &FunctionProperties::registers},
    {FunctionAttribute::local_bytes, &FunctionProperties::local_bytes},
    {FunctionAttribute::shared_bytes, &FunctionProperties::shared_bytes},
    {FunctionAttribute::max_threads_per_block, &FunctionProperties::max_threads},
    {FunctionAttribute::ptx_version, &FunctionProperties::ptx_version},
    {FunctionAttribute::binary_version, &FunctionProperties::binary_version},
}};

}  // namespace

Result<ModulePtr> Module::load(ContextPtr context, Cubin cubin) {
  std::shared_ptr<Module> module(new Module(std::move(context), std::move(cubin)));
  Context& here = *module->context_;
  Result<Outcome> loaded = here.attempt(
      [&](const DriverCalls& calls) { return calls.cuModuleLoadData(&module->handle_, module->cubin_.image.data()); });
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  if (loaded->status == Status::invalid_ptx || loaded->status == Status::unsupported_ptx_version)
    return refused_ptx(here, *loaded, {});
  if (loaded->status == Status::invalid_image || loaded->status == Status::no_binary_for_gpu)
    return fail("R093",
                fmt::format("machine code of {} bytes is not for {}: {}", module->cubin_.image.size(),
                            here.device().text(), here.driver().text(*loaded)),
                fmt::format("it must be a cubin of {}", here.device().binary_target()));
  if (auto checked = here.check(*loaded); !checked) return std::unexpected(std::move(checked.error()));
  return module;
}

Module::~Module() {
  if (handle_ == nullptr) return;
  context_->release([this](const DriverCalls& calls) {
    (void)calls.cuCtxSynchronize();  // a kernel of it may still run
    return calls.cuModuleUnload(handle_);
  });
}

Result<Function> Module::function(const std::string& name) const {
  auto state = std::make_shared<Function::State>();
  state->module = shared_from_this();
  state->name = name;
  auto found = context_->call([&](const DriverCalls& calls) {
    Outcome outcome = calls.cuModuleGetFunction(&state->handle, handle_, name.c_str());
    for (const PropertyRow& row : property_rows)
      if (outcome.ok())
        outcome = calls.cuFuncGetAttribute(&(state->properties.*row.field), row.attribute, state->handle);
    return outcome;
  });
  if (!found) {
    found.error().front().message += fmt::format(" (kernel '{}')", name);
    return std::unexpected(std::move(found.error()));
  }
  state->properties.log = find_in_log(cubin_.log, name);
  return Function(std::move(state));
}

}  // namespace tilewright::cuda
