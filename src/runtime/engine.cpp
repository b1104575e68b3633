// Calls: find the prepared call of the signature or make it, check the memory, run.
#include "runtime/engine.h"

#include <algorithm>
#include <type_traits>

#include "lang/bind.h"
#include "lang/parse.h"
#include "runtime/byte_range.h"
#include "runtime/call_signature.h"
#include "runtime/check_overlap.h"
#include "runtime/cuda/cuda_backend.h"
#include "runtime/engine_state.h"
#include "runtime/host_backend.h"
#include "runtime/program_call.h"
#include "runtime/simulator_backend.h"

namespace tilewright {

/// The bytes that a tensor touches, relative to its element (0, …, 0).
struct Reach {
  std::uintptr_t begin;
  std::uintptr_t end;

  static Reach of(const Tensor& tensor) {
    const ByteRange range = tensor.bytes();
    const auto base = reinterpret_cast<std::uintptr_t>(tensor.data());
    return {range.begin - base, range.end - base};
  }
  ByteRange at(const std::byte* data) const {
    const auto base = reinterpret_cast<std::uintptr_t>(data);
    return {base + begin, base + end};
  }
};

/// A statement's call checked and prepared for one signature.
struct PreparedCall {
  std::shared_ptr<const DeviceCall> call;
  std::string choice;              ///< as PreparedNest's
  std::vector<std::size_t> order;  ///< operand of the statement at each tensor of the plan
  std::vector<Reach> reaches;      ///< of the operands, then of the output

  /// The output keeps clear of the operands, with these addresses.
  bool is_apart(std::span<const TensorRef> operands, const TensorRef& output) const {
    const ByteRange written = reaches.back().at(output.data);
    for (std::size_t n = 0; n < operands.size(); ++n)
      if (written.overlaps(reaches[n].at(operands[n].data))) return false;
    return true;
  }
};

struct Kernel::CallCache {
  LruMap<CallSignature, std::shared_ptr<const PreparedCall>, CallSignatureHash> prepared{64};
  LruMap<CallSignature, std::shared_ptr<const std::pair<DType, Shape>>, CallSignatureHash> outputs{64};
  LruMap<CallSignature, std::shared_ptr<const ProgramCall>, CallSignatureHash> programs{64};
};

// ---- Kernel ----

Kernel::Kernel(std::variant<lang::Statement, lang::Program> item) {
  auto data = std::make_shared<Data>(Data{std::move(item), {}, {}, std::make_shared<CallCache>()});
  if (const auto* statement = std::get_if<lang::Statement>(&data->item)) data->operands = statement->tensors_read();
  if (const auto* program = std::get_if<lang::Program>(&data->item)) {
    for (const lang::Named& parameter : program->parameters) data->operands.push_back(parameter.name);
    for (const lang::Statement& statement : program->statements) data->steps.emplace_back(statement);
  }
  data_ = std::move(data);
}

const std::string& Kernel::name() const {
  return lang::name_of(data_->item);
}

std::vector<std::string> Kernel::result_names() const {
  if (statement()) return {name()};
  std::vector<std::string> names;
  for (const lang::Named& result : program()->results) names.push_back(result.name);
  return names;
}

const std::vector<lang::Example>& Kernel::examples() const {
  return statement() ? statement()->examples : program()->examples;
}

Result<std::vector<lang::OperandType>> types_with_results(const Kernel& kernel,
                                                          std::vector<lang::OperandType> operands) {
  const auto add_result = [&](const lang::Statement& statement) -> Result<void> {
    std::vector<lang::OperandType> read;
    for (const std::string& name : statement.tensors_read())
      read.push_back(*std::ranges::find(operands, name, &lang::OperandType::name));
    const auto typed = lang::bind(statement, read);
    if (!typed) return std::unexpected(typed.error());
    operands.push_back({statement.target.name, typed->output, typed->output_shape});
    return {};
  };
  if (kernel.statement())
    if (auto added = add_result(*kernel.statement()); !added) return std::unexpected(std::move(added.error()));
  for (const Kernel& step : kernel.steps())
    if (auto added = add_result(*step.statement()); !added) return std::unexpected(std::move(added.error()));
  return operands;
}

Result<std::vector<Kernel>> parse_kernels(SourcePtr source) {
  auto file = lang::parse(std::move(source));
  if (!file) return std::unexpected(file.error());
  std::vector<Kernel> kernels;
  for (auto& item : file->items) kernels.emplace_back(std::move(item));
  return kernels;
}

Result<Kernel> Kernel::parse(std::string text, std::string source_name) {
  auto source = std::make_shared<const Source>(std::move(source_name), std::move(text));
  auto kernels = parse_kernels(source);
  if (!kernels) return std::unexpected(kernels.error());
  if (kernels->size() != 1)
    return fail("R070", "expected one kernel, got " + std::to_string(kernels->size()), "use parse_kernels for a file",
                source);
  return std::move(kernels->front());
}

Result<Kernel> Kernel::einsum(std::string_view equation, const std::vector<std::size_t>& ranks,
                              std::optional<DType> element) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    names.push_back(i < 26 ? std::string(1, static_cast<char>('a' + i)) : "a" + std::to_string(i));
  auto statement = lang::parse_einsum(equation, ranks, names, "result", element);
  if (!statement) return std::unexpected(statement.error());
  return Kernel(std::move(*statement));
}

// ---- Engine ----

Result<Engine> Engine::open(std::string_view device, const EngineOptions& options) {
  if (device != "cpu" && device != "sim" && device != "cuda" && !device.starts_with("cuda:"))
    return fail("R072", "device '" + std::string(device) + "' is not there", "use 'cpu', 'cuda', 'cuda:N' or 'sim'");
  if (device == "sim") return Engine(std::make_shared<State>(open_simulator_backend(options.workspace_limit), options));
  DiskCache disk;
  if (const auto folder = default_cache_folder(); options.disk_cache && folder)
    if (auto opened = DiskCache::open({*folder})) disk = std::move(*opened);
  std::shared_ptr<Backend> backend;
  if (device == "cpu") {
    backend = open_host_backend(std::move(disk));
  } else {
    auto opened = cuda::open_cuda_backend(device, std::move(disk), options.workspace_limit);
    if (!opened) return std::unexpected(opened.error());
    backend = std::move(*opened);
  }
  auto state = std::make_shared<State>(std::move(backend), options);
  if (options.stored_choices) state->choices = default_choice_store();
  return Engine(std::move(state));
}

Result<Tensor> Engine::to_device(const Tensor& host) const {
  return state_->backend->to_device(host);
}

Result<Tensor> Engine::to_host(const Tensor& tensor) const {
  return state_->backend->to_host(tensor);
}

Result<Tensor> Engine::allocate(DType dtype, Shape shape) const {
  return state_->backend->allocate(dtype, std::move(shape));
}

std::string Engine::device_name() const {
  return state_->backend->device_name();
}

std::string Engine::processor() const {
  return state_->backend->processor();
}

bool Engine::is_simulated() const {
  return state_->backend->is_simulated();
}

namespace {

std::unexpected<Diagnostics> misfit(const Kernel& kernel, const std::string& received) {
  std::string expected;
  for (const std::string& name : kernel.operand_names()) expected += (expected.empty() ? "" : ", ") + name;
  return fail("R076", "operands do not fit " + kernel.name() + ": " + received,
              "it reads (" + expected + "), each once");
}

/// Operands in the statement's order. R076: a missing, unknown or repeated name.
Result<std::vector<const Tensor*>> in_order(const Kernel& kernel, const std::vector<Operand>& operands) {
  const std::vector<std::string>& names = kernel.operand_names();
  std::vector<const Tensor*> tensors(names.size(), nullptr);
  bool fits = operands.size() == names.size();
  for (std::size_t n = 0; n < names.size() && fits; ++n) {
    // Callers mostly keep the order.
    const auto found = operands[n].name == names[n] ? operands.begin() + static_cast<std::ptrdiff_t>(n)
                                                    : std::ranges::find(operands, names[n], &Operand::name);
    fits = found != operands.end();
    if (fits) tensors[n] = &found->tensor;
  }
  if (fits) return tensors;
  std::string received;
  for (const Operand& operand : operands) received += (received.empty() ? "" : ", ") + operand.name;
  return misfit(kernel, "received (" + received + ")");
}

/// Of operands in the statement's order. R077: a program. R076: another number of them.
Result<void> check_positions(const Kernel& kernel, const std::vector<const Tensor*>& tensors) {
  if (!kernel.statement()) return fail("R077", kernel.name() + " is a program: use run");
  if (tensors.size() != kernel.operand_names().size())
    return misfit(kernel, "received " + std::to_string(tensors.size()));
  return {};
}

Result<void> check_devices(const Backend& backend, const Kernel& kernel, const std::vector<const Tensor*>& tensors) {
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (!backend.reaches(tensors[t]->device()))
      return fail("R073",
                  "operand " + kernel.operand_names()[t] + " is on " + to_text(tensors[t]->device()) +
                      ", the engine on " + backend.device_name(),
                  "copy it to memory of that device first");
  return {};
}

std::vector<nest::NamedView> named_views(const Kernel& kernel, const std::vector<const Tensor*>& tensors) {
  std::vector<nest::NamedView> views;
  for (std::size_t t = 0; t < tensors.size(); ++t) views.push_back({kernel.operand_names()[t], tensors[t]->view()});
  return views;
}

Result<void> check_memory(const Kernel& kernel, const std::vector<const Tensor*>& tensors, const Tensor& output) {
  const TensorView out = output.view();
  const NamedView named_output{kernel.name(), &out};
  std::vector<TensorView> views;
  for (const Tensor* tensor : tensors) views.push_back(tensor->view());
  std::vector<NamedView> inputs;
  for (std::size_t t = 0; t < tensors.size(); ++t) inputs.push_back({kernel.operand_names()[t], &views[t]});
  return check_overlap({&named_output, 1}, inputs);
}

/// The output's type and shape for these operands, from the cache or by binding.
Result<std::pair<DType, Shape>> output_type(const Kernel& kernel, const std::vector<const Tensor*>& tensors,
                                            const CallSignature& signature) {
  if (const auto known = kernel.calls().outputs.find(signature)) return **known;
  std::vector<lang::OperandType> types;
  for (std::size_t t = 0; t < tensors.size(); ++t)
    types.push_back({kernel.operand_names()[t], tensors[t]->dtype(), tensors[t]->shape()});
  const auto typed = lang::bind(*kernel.statement(), types);
  if (!typed) return std::unexpected(typed.error());
  const std::pair<DType, Shape> output{typed->output, typed->output_shape};
  kernel.calls().outputs.insert(signature, std::make_shared<const std::pair<DType, Shape>>(output));
  return output;
}

}  // namespace

Result<Compilation> Engine::compile(const Kernel& kernel, const std::vector<nest::NamedView>& operands,
                                    bool code) const {
  if (!kernel.statement()) return fail("R077", kernel.name() + " is a program: compile its statements one by one");
  const auto bound = nest::bind_nest(*kernel.statement(), types_of(operands));
  if (!bound) return std::unexpected(bound.error());
  return compile(*bound, operands, code);
}

Result<Compilation> Engine::compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                    bool code) const {
  return compile_nest(bound, operands, nullptr, code);
}

Result<kernel::Occupancy> Engine::occupancy(const Compilation& compilation) const {
  return state_->backend->occupancy(compilation);
}

/// A checked call with its code.
struct Engine::ReadyCall {
  std::shared_ptr<const PreparedCall> prepared;
  std::vector<std::byte*> addresses;
};

Result<Engine::ReadyCall> Engine::ready(const Kernel& kernel, const std::vector<const Tensor*>& tensors,
                                        const Tensor& output) const {
  if (auto there = check_devices(*state_->backend, kernel, tensors); !there)
    return std::unexpected(std::move(there.error()));
  CallSignature signature;
  for (const Tensor* tensor : tensors) signature.add(TensorRef::of(*tensor));
  const auto expected = output_type(kernel, tensors, signature);
  if (!expected) return std::unexpected(expected.error());
  if (output.dtype() != expected->first || output.shape() != expected->second || output.is_read_only() ||
      !state_->backend->reaches(output.device()))
    return fail("R074",
                "output of " + kernel.name() + " is " + std::string(name(output.dtype())) + " " +
                    shape_text(output.shape()) + (output.is_read_only() ? ", read only" : "") + " on " +
                    to_text(output.device()),
                "it must be writable " + std::string(name(expected->first)) + " " + shape_text(expected->second));
  if (auto apart = check_memory(kernel, tensors, output); !apart) return std::unexpected(std::move(apart.error()));

  signature.add(TensorRef::of(output));
  state_->add_to(signature);
  std::shared_ptr<const PreparedCall> prepared = kernel.calls().prepared.find(signature).value_or(nullptr);
  if (!prepared) {
    const TensorView out = output.view();
    const std::vector<nest::NamedView> views = named_views(kernel, tensors);
    const auto bound = nest::bind_nest(*kernel.statement(), types_of(views));
    if (!bound) return std::unexpected(bound.error());
    auto made = prepare_nest(*bound, views, out, workspace_room());
    if (!made) return std::unexpected(std::move(made.error()));
    PreparedCall call{std::move(made->call), std::move(made->choice), {}, {}};
    for (const Tensor* tensor : tensors) call.reaches.push_back(Reach::of(*tensor));
    call.reaches.push_back(Reach::of(output));
    for (const nest::Tensor& tensor : made->compilation.nest.tensors)
      call.order.push_back(static_cast<std::size_t>(std::ranges::find(kernel.operand_names(), tensor.name) -
                                                    kernel.operand_names().begin()));
    if (auto fits = check_workspace(kernel.name(), *call.call, workspace_room()); !fits)
      return std::unexpected(std::move(fits.error()));
    prepared = kernel.calls().prepared.insert(signature, std::make_shared<const PreparedCall>(std::move(call)));
  }
  std::vector<std::byte*> addresses;
  addresses.reserve(prepared->order.size() + 2);
  for (std::size_t operand : prepared->order) addresses.push_back(tensors[operand]->data());
  addresses.push_back(output.data());
  return ReadyCall{std::move(prepared), std::move(addresses)};
}

template <class Use>
auto Engine::use_call(const Kernel& kernel, const std::vector<const Tensor*>& operands, const Tensor& output,
                      const Use& use) const {
  using Done = std::invoke_result_t<const Use&, const DeviceCall&, const std::vector<std::byte*>&>;
  for (;;) {
    const auto call = ready(kernel, operands, output);
    if (!call) return Done(std::unexpected(call.error()));
    Done done = use(*call->prepared->call, call->addresses);
    if (done || !state_->refuse(call->prepared->choice, done.error())) return done;
  }
}

Result<void> Engine::call(const Kernel& kernel, const std::vector<const Tensor*>& operands, const Tensor& output,
                          const CallOptions& options) const {
  std::vector<TensorRef> refs;
  refs.reserve(operands.size());
  for (const Tensor* operand : operands) refs.push_back(TensorRef::of(*operand));
  if (const auto done = call_again(kernel, refs, TensorRef::of(output), options)) return *done;
  if (auto fits = check_positions(kernel, operands); !fits) return fits;
  return use_call(kernel, operands, output, [&](const DeviceCall& prepared, const std::vector<std::byte*>& addresses) {
    return options.stream ? prepared.run_on(*options.stream, addresses) : prepared.run(addresses);
  });
}

std::optional<Result<void>> Engine::call_again(const Kernel& kernel, std::span<const TensorRef> operands,
                                               const TensorRef& output, const CallOptions& options) const {
  if (!kernel.statement() || operands.size() != kernel.operand_names().size()) return std::nullopt;
  CallSignature signature;
  signature.words.reserve(8 * (operands.size() + 1));
  for (const TensorRef& operand : operands) signature.add(operand);
  signature.add(output);
  state_->add_to(signature);
  const auto prepared = kernel.calls().prepared.find(signature).value_or(nullptr);
  if (!prepared || !prepared->is_apart(operands, output)) return std::nullopt;
  std::vector<std::byte*> addresses;
  addresses.reserve(operands.size() + 2);
  for (std::size_t operand : prepared->order) addresses.push_back(operands[operand].data);
  addresses.push_back(output.data);
  Result<void> done =
      options.stream ? prepared->call->run_on(*options.stream, addresses) : prepared->call->run(addresses);
  if (!done && state_->refuse(prepared->choice, done.error())) return std::nullopt;
  return done;
}

Result<void> Engine::eval_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                               const CallOptions& options) const {
  const auto tensors = in_order(kernel, operands);
  if (!tensors) return std::unexpected(tensors.error());
  return call(kernel, *tensors, output, options);
}

Result<CallTiming> Engine::time_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                                     const TimingEffort& effort) const {
  const auto tensors = in_order(kernel, operands);
  if (!tensors) return std::unexpected(tensors.error());
  if (auto fits = check_positions(kernel, *tensors); !fits) return std::unexpected(std::move(fits.error()));
  return use_call(kernel, *tensors, output, [&](const DeviceCall& prepared, const std::vector<std::byte*>& addresses) {
    return prepared.time(addresses, effort);
  });
}

Result<std::pair<DType, Shape>> result_type(const Kernel& kernel, const std::vector<const Tensor*>& operands) {
  if (auto fits = check_positions(kernel, operands); !fits) return std::unexpected(std::move(fits.error()));
  CallSignature signature;
  for (const Tensor* tensor : operands) signature.add(TensorRef::of(*tensor));
  return output_type(kernel, operands, signature);
}

std::shared_ptr<const std::pair<DType, Shape>> known_result_type(const Kernel& kernel,
                                                                 std::span<const TensorRef> operands) {
  CallSignature signature;
  signature.words.reserve(8 * operands.size());
  for (const TensorRef& operand : operands) signature.add(operand);
  return kernel.calls().outputs.find(signature).value_or(nullptr);
}

Result<Tensor> Engine::eval(const Kernel& kernel, const std::vector<Operand>& operands) const {
  if (!kernel.statement()) {
    auto results = run(kernel, operands);
    if (!results) return std::unexpected(results.error());
    if (results->size() != 1)
      return fail("R075", kernel.name() + " has " + std::to_string(results->size()) + " results", "use run");
    return results->front().tensor;
  }
  const auto tensors = in_order(kernel, operands);
  if (!tensors) return std::unexpected(tensors.error());
  const auto type = result_type(kernel, *tensors);
  if (!type) return std::unexpected(type.error());
  auto output = allocate(type->first, type->second);
  if (!output) return output;
  if (auto done = call(kernel, *tensors, *output); !done) return std::unexpected(done.error());
  return output;
}

Result<Tensor> Engine::eval(const nest::BoundNest& bound, const std::vector<Operand>& operands) const {
  const std::vector<nest::NamedView> views = views_of(operands);
  TensorView result = with_views(bound, views, nullptr).views.output;
  auto output = allocate(result.dtype, result.shape);
  if (!output) return output;
  result.data = output->data();
  for (;;) {
    const auto made = prepare_nest(bound, views, result, std::nullopt);
    if (!made) return std::unexpected(made.error());
    std::vector<std::byte*> addresses;
    for (const nest::Tensor& tensor : made->compilation.nest.tensors)
      addresses.push_back(std::ranges::find(operands, tensor.name, &Operand::name)->tensor.data());
    addresses.push_back(output->data());
    const auto done = made->call->run(addresses);
    if (done) return output;
    if (!state_->refuse(made->choice, done.error())) return std::unexpected(done.error());
  }
}

Result<std::vector<Operand>> Engine::run(const Kernel& kernel, const std::vector<Operand>& operands) const {
  std::vector<Operand> results;
  if (kernel.statement()) {
    auto result = eval(kernel, operands);
    if (!result) return std::unexpected(result.error());
    results.push_back({kernel.name(), std::move(*result)});
    return results;
  }
  const auto tensors = in_order(kernel, operands);
  if (!tensors) return std::unexpected(tensors.error());
  if (auto there = check_devices(*state_->backend, kernel, *tensors); !there)
    return std::unexpected(std::move(there.error()));
  const auto prepare = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& views,
                           const TensorView& output,
                           std::optional<std::int64_t> room) { return prepare_nest(bound, views, output, room); };
  CallSignature given;
  for (const Tensor* tensor : *tensors) given.add(TensorRef::of(*tensor));
  for (;;) {
    CallSignature signature = given;
    state_->add_to(signature);
    std::shared_ptr<const ProgramCall> prepared = kernel.calls().programs.find(signature).value_or(nullptr);
    if (!prepared) {
      auto made = ProgramCall::prepare(prepare, kernel, *tensors, state_->options.workspace_limit);
      if (!made) return std::unexpected(std::move(made.error()));
      prepared = kernel.calls().programs.insert(signature, std::make_shared<const ProgramCall>(std::move(*made)));
    }
    std::string failed_choice;
    auto done = prepared->run(*state_->backend, *tensors, failed_choice);
    if (done || !state_->refuse(failed_choice, done.error())) return done;
  }
}

// ---- Operands ----

std::vector<nest::NamedView> views_of(const std::vector<Operand>& operands) {
  std::vector<nest::NamedView> views;
  for (const Operand& operand : operands) views.push_back({operand.name, operand.tensor.view()});
  return views;
}

Result<std::vector<Operand>> moved(const Engine& engine, const std::vector<Operand>& operands,
                                   Result<Tensor> (Engine::*move)(const Tensor&) const) {
  std::vector<Operand> result;
  for (const Operand& each : operands) {
    Result<Tensor> tensor = (engine.*move)(each.tensor);
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    result.push_back({each.name, std::move(*tensor)});
  }
  return result;
}

}  // namespace tilewright
