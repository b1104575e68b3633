// Evaluation of a tile program: views are checked and bound, the ops are resolved into actions once, and the grid's
// points run one after another. See evaluate.h; the actions are in evaluate_*.cpp.
#include "tile/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/overloaded.h"
#include "support/tensor_symbol.h"
#include "tile/evaluate_machine.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t most_buffer_elements = std::int64_t{1} << 28;

void report(Machine& machine, std::string_view code, const std::string& message) {
  machine.errors.push_back(
      {std::string(code), fmt::format("tile {}: {}", machine.program.name, message), "", nullptr, {}});
}

/// Whether the view keeps what the program was told of this axis. Where there is at most one coordinate, a stride does
/// not matter.
bool keeps(StrideClass fact, std::int64_t extent, std::int64_t stride) {
  if (extent <= 1) return true;
  switch (fact) {
    case StrideClass::zero:
      return stride == 0;
    case StrideClass::one:
      return stride == 1;
    case StrideClass::other:
      return true;
  }
  internal_error("an unknown stride class");
}

void check_facts(Machine& machine, const Tensor& tensor, const TensorView& view) {
  for (std::size_t axis = 0; axis < view.rank(); ++axis)
    if (!keeps(tensor.strides[axis], view.shape[axis], view.strides[axis]))
      report(machine, "T102",
             fmt::format("{} has stride {} along axis {}, which its declaration excludes", tensor.name,
                         view.strides[axis], axis));
  if (reinterpret_cast<std::uintptr_t>(view.data) % tensor.align != 0)
    report(machine, "T102", fmt::format("{} is not aligned to {} bytes", tensor.name, tensor.align));
}

void bind_tensors(Machine& machine, const std::vector<nest::NamedView>& views) {
  for (const Tensor& tensor : machine.program.tensors) {
    TensorState& state = machine.tensors.emplace_back();
    state.output = tensor.output;
    const auto found = std::ranges::find(views, tensor.name, &nest::NamedView::name);
    if (found == views.end()) {
      report(machine, "T107", fmt::format("no view of {}", tensor.name));
      continue;
    }
    const TensorView& view = found->view;
    if (view.dtype != tensor.dtype || view.rank() != tensor.strides.size()) {
      report(machine, "T107",
             fmt::format("{} is {} of rank {}, not {} of rank {}", tensor.name, name(view.dtype), view.rank(),
                         name(tensor.dtype), tensor.strides.size()));
      continue;
    }
    check_facts(machine, tensor, view);
    state.view = view;
    if (tensor.output) state.writer.assign(static_cast<std::size_t>(view.element_count()), 0);
  }
}

void bind_iterators(Machine& machine) {
  for (const Iterator& iter : machine.program.iters) {
    const std::int64_t extent = machine.resolve(iter.extent, fmt::format("the extent of {}", iter.name));
    machine.extents.push_back(extent);
    machine.scopes.push_back({0, extent});
  }
}

/// Each thread's place in any scope, row-major over the thread axes.
void bind_threads(Machine& machine) {
  machine.thread_offsets.assign(1, std::vector<std::int64_t>(machine.program.iters.size(), 0));
  for (const ThreadAxis& axis : machine.program.threads) {
    std::vector<std::vector<std::int64_t>> finer;
    for (const std::vector<std::int64_t>& thread : machine.thread_offsets)
      for (std::int64_t t = 0; t < axis.count; ++t) {
        finer.push_back(thread);
        finer.back()[axis.iter.index] += t * axis.step;
      }
    machine.thread_offsets = std::move(finer);
  }
}

void bind_buffers(Machine& machine) {
  for (const Buffer& buffer : machine.program.buffers) {
    BufferState& state = machine.buffers.emplace_back();
    const auto resolve = [&](const IntExpr& expr) {
      return machine.resolve(expr, "a figure of buffer " + buffer.name);
    };
    state.elements = resolve(buffer.elements);
    state.shared = buffer.space == Space::shared;
    if (state.elements < 0 || state.elements > most_buffer_elements)
      report(machine, "T105", fmt::format("buffer {} has {} elements", buffer.name, state.elements));
    for (const BufferAxis& axis : buffer.axes)
      state.axes.push_back(
          {axis.iter, resolve(axis.capacity), axis.inner, resolve(axis.outer_stride), axis.inner_stride, 0});
  }
}

std::vector<Action> resolve_block(Machine& machine, const Block& block);

bool run_actions(Machine& machine, const std::vector<Action>& actions) {
  return std::ranges::all_of(actions, [&](const Action& action) { return action(machine); });
}

/// Runs `body` for each thread of the block; false stops.
template <class Body>
bool for_each_thread(Machine& machine, Body&& body) {
  for (machine.thread = 0; machine.thread < machine.threads(); ++machine.thread)
    if (!body(machine)) return false;
  machine.thread = 0;
  return true;
}

/// All at once: a target may be among the sources.
void assign(Machine& machine, const std::vector<ValueId>& to, const std::vector<ValueId>& from) {
  for_each_thread(machine, [&](Machine& m) {
    std::vector<Cells> copies;
    for (ValueId id : from) copies.push_back(m.tile(id));
    for (std::size_t i = 0; i < to.size(); ++i) m.tile(to[i]) = std::move(copies[i]);
    return true;
  });
}

/// Runs `body` over the iterator's scope in steps; false stops.
template <class Body>
bool for_each_step(Machine& machine, IterId iter, std::int64_t step, Body&& body) {
  const Scope outer = machine.scopes[iter.index];
  // Counted down, so that the last step cannot overflow.
  for (std::int64_t base = outer.base; base < outer.limit;) {
    const std::int64_t length = std::min(step, outer.limit - base);
    machine.scopes[iter.index] = {base, base + length};
    if (!body()) return false;
    base += length;
  }
  machine.scopes[iter.index] = outer;
  return true;
}

std::int64_t resolve_step(Machine& machine, const IntExpr& step, IterId iter) {
  const std::string what = fmt::format("the step over {}", machine.program.iters[iter].name);
  const std::int64_t value = machine.resolve(step, what);
  if (value >= 1) return value;
  report(machine, "T108", fmt::format("{}, '{}', is {}", what, to_text(step), value));
  return 1;
}

Action resolve_for(Machine& machine, const Op& op, const For& loop) {
  const std::int64_t step = resolve_step(machine, loop.step, loop.iter);
  return [&op, &loop, step, actions = resolve_block(machine, loop.body)](Machine& m) {
    assign(m, loop.body.arguments, loop.initial);
    const bool done = for_each_step(m, loop.iter, step, [&] {
      if (!run_actions(m, actions)) return false;
      assign(m, loop.body.arguments, loop.body.yields);
      return true;
    });
    if (done) assign(m, op.results, loop.body.arguments);
    return done;
  };
}

Action resolve_if(Machine& machine, const Op& op, const If& branch) {
  return [&op, &branch, then_actions = resolve_block(machine, branch.then_block),
          else_actions = resolve_block(machine, branch.else_block)](Machine& m) {
    const bool taken = std::ranges::all_of(branch.iters, [&](IterId iter) {
      const Scope& point = m.point_scopes[iter.index];
      const Scope& here = m.scopes[iter.index];
      return branch.when == When::first ? here.base == point.base : here.limit == point.limit;
    });
    if (!run_actions(m, taken ? then_actions : else_actions)) return false;
    assign(m, op.results, taken ? branch.then_block.yields : branch.else_block.yields);
    return true;
  };
}

Action resolve_op(Machine& machine, const Op& op) {
  return std::visit(Overloaded{
                        [&](const Fill& n) { return resolve_fill(machine, op, n); },
                        [&](const Iota& n) { return resolve_iota(machine, op, n); },
                        [&](const ExtentValue& n) { return resolve_extent(machine, op, n); },
                        [&](const Load& n) { return resolve_load(machine, op, n); },
                        [&](const LoadBuffer& n) { return resolve_load_buffer(machine, op, n); },
                        [&](const Map& n) { return resolve_map(machine, op, n); },
                        [&](const Cast& n) { return resolve_cast(machine, op, n); },
                        [&](const Mask& n) { return resolve_mask(machine, op, n); },
                        [&](const Reduce& n) { return resolve_reduce(machine, op, n); },
                        [&](const Contract& n) { return resolve_contract(machine, op, n); },
                        [&](const ConvertLayout& n) { return resolve_convert_layout(machine, op, n); },
                        [&](const ReduceAcross& n) { return resolve_reduce_across(machine, op, n); },
                        [&](const For& n) { return resolve_for(machine, op, n); },
                        [&](const If& n) { return resolve_if(machine, op, n); },
                        [&](const Allocate& n) { return resolve_allocate(machine, op, n); },
                        [&](const Copy& n) { return resolve_copy(machine, op, n); },
                        [&](const Store& n) { return resolve_store(machine, op, n); },
                        [&](const StoreBuffer& n) { return resolve_store_buffer(machine, op, n); },
                        [](const Prefetch&) -> Action { return [](Machine&) { return true; }; },
                        [](const Barrier&) -> Action { return [](Machine&) { return true; }; },
                    },
                    op.node);
}

/// What the block does once: structure, and what its threads do together.
bool runs_once(const Machine& machine, const Op& op) {
  const auto is_shared = [&](BufferId id) { return machine.program.buffers[id].space == Space::shared; };
  if (const auto* copy = std::get_if<Copy>(&op.node)) return is_shared(copy->buffer);
  if (const auto* allocate = std::get_if<Allocate>(&op.node)) return is_shared(allocate->buffer);
  return std::holds_alternative<For>(op.node) || std::holds_alternative<If>(op.node) ||
         std::holds_alternative<ReduceAcross>(op.node) || std::holds_alternative<Barrier>(op.node);
}

/// Threads run op by op, side by side, so that each sees what all of them did before: barriers have nothing to do.
std::vector<Action> resolve_block(Machine& machine, const Block& block) {
  std::vector<Action> actions;
  for (const Op& op : block.ops) {
    Action action = resolve_op(machine, op);
    if (machine.threads() == 1 || runs_once(machine, op))
      actions.push_back(std::move(action));
    else
      actions.push_back([action = std::move(action)](Machine& m) { return for_each_thread(m, action); });
  }
  return actions;
}

bool run_grid(Machine& machine, std::size_t axis, const std::vector<std::int64_t>& steps,
              const std::vector<Action>& actions) {
  if (axis == steps.size()) {
    ++machine.point;
    machine.point_scopes = machine.scopes;
    return run_actions(machine, actions);
  }
  return for_each_step(machine, machine.program.grid[axis].iter, steps[axis],
                       [&] { return run_grid(machine, axis + 1, steps, actions); });
}

/// The symbols of the bound views, then the caller's.
std::optional<std::int64_t> symbol_value(const Machine& machine, std::string_view symbol, const SymbolValues& others) {
  if (const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol)) {
    for (std::uint32_t i = 0; i < machine.program.tensors.size(); ++i) {
      const TensorView& view = machine.tensors[i].view;
      if (machine.program.tensors[TensorId{i}].name == parsed->tensor && parsed->axis < view.rank())
        return parsed->stride ? view.strides[parsed->axis] : view.shape[parsed->axis];
    }
  }
  return others(symbol);
}

}  // namespace

Result<void> evaluate(const Program& program, const std::vector<nest::NamedView>& views, const SymbolValues& symbols) {
  Machine machine{program, {}, {}, {}, {}, {}, {}, {}, {}, 0, 0, {}};
  machine.symbols = [&](std::string_view symbol) { return symbol_value(machine, symbol, symbols); };
  bind_tensors(machine, views);
  if (machine.errors.empty()) {
    bind_iterators(machine);
    bind_threads(machine);
    bind_buffers(machine);
  }
  if (!machine.errors.empty()) return std::unexpected(std::move(machine.errors));
  machine.tiles.resize(machine.threads());
  for (std::vector<Cells>& tiles : machine.tiles)
    for (const Value& value : program.values)
      tiles.emplace_back().resize(element_count(value.type.axes), value.type.dtype);
  std::vector<std::int64_t> steps;
  for (const GridAxis& axis : program.grid) steps.push_back(resolve_step(machine, axis.step, axis.iter));
  const std::vector<Action> actions = resolve_block(machine, program.body);
  if (machine.errors.empty()) run_grid(machine, 0, steps, actions);
  if (!machine.errors.empty()) return std::unexpected(std::move(machine.errors));
  return {};
}

}  // namespace tilewright::tile
