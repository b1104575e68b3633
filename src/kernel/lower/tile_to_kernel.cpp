// Tile → kernel for a host: parameters, scopes and structure. lowering.h has the picture.
#include "kernel/lower/tile_to_kernel.h"

#include <algorithm>

#include "kernel/lower/lowering.h"
#include "support/overloaded.h"
#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::kernel {

LoweredKernel tile_to_kernel(const tile::Program& program, const HostTarget& target) {
  return lowering::Lowering(program, {tile::vector_lanes(program, target), target.has_fma, {}}).run_points();
}

LoweredKernel tile_to_kernel(const tile::Program& program, const GpuTarget& target) {
  return lowering::Lowering(program, lowering::machine_of(program, target)).run_block();
}

namespace lowering {

namespace {

/// A program's name as the name of a function: the made-up parts of it (`s.partial`) hold dots.
std::string symbol_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace

Lowering::Lowering(const tile::Program& program, const Machine& machine)
    : program_(program), machine_(machine), build_(symbol_name(program.name), machine.block) {}

ValueId Lowering::size(const IntExpr& value) {
  if (value.is_constant()) return build_.index(value.constant());
  const SizeParameter& parameter = size_parameter(value);
  std::get<SizeArgument>(result_.arguments[parameter.argument]).is_distance = false;
  return parameter.value;
}

ValueId Lowering::distance(const IntExpr& bytes) {
  return bytes.is_constant() ? build_.index(bytes.constant()) : size_parameter(bytes).value;
}

/// A parameter for each expression; that of a distance as long as nothing takes it for a count.
const Lowering::SizeParameter& Lowering::size_parameter(const IntExpr& value) {
  const auto [entry, is_new] = sizes_.try_emplace(to_text(value));
  if (is_new) {
    entry->second = {build_.parameter("n" + std::to_string(sizes_.size()), {Element::i64, 1}),
                     result_.arguments.size()};
    result_.arguments.push_back(SizeArgument{value, true});
  }
  return entry->second;
}

void Lowering::declare_tensors() {
  for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
    const tile::TensorId id{static_cast<std::uint32_t>(t)};
    const tile::Tensor& tensor = program_.tensors[id];
    tensors_[id] = build_.parameter(tensor.name, {Element::ptr, 1}, !tensor.output, tensor.output, tensor.align);
    result_.arguments.push_back(TensorArgument{tensor.name});
  }
}

void Lowering::declare_scopes() {
  for (std::size_t i = 0; i < program_.iters.size(); ++i) {
    const IterId id{static_cast<std::uint32_t>(i)};
    const IntExpr& extent = program_.iters[id].extent;
    scopes_[id] = Scope{build_.index(0), size(extent), extent.is_constant() && !has_threads()};
  }
  register_accesses(program_.body);
  // Clusters are whole, some blocks of the last ones past the end.
  for (const tile::GridAxis& axis : program_.grid)
    result_.grid.push_back(ceil_div(program_.iters[axis.iter].extent, axis.step * axis.cluster) * axis.cluster);
}

LoweredKernel Lowering::run_points() {
  declare_tensors();
  result_.workspace_bytes = 0;
  if (!program_.buffers.empty()) {
    workspace_ = build_.parameter("workspace", {Element::ptr, 1}, false, true, 64);
    result_.arguments.push_back(WorkspaceArgument{});
  }
  for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
    const tile::BufferId id{static_cast<std::uint32_t>(b)};
    const tile::Buffer& buffer = program_.buffers[id];
    buffer_offsets_[id] = result_.workspace_bytes;
    const IntExpr bytes = buffer.elements * IntExpr(bytes_of(buffer.dtype));
    result_.workspace_bytes = result_.workspace_bytes + ceil_div(bytes, 64) * 64;
  }
  const ValueId begin = build_.parameter("begin", {Element::i64, 1});
  const ValueId end = build_.parameter("end", {Element::i64, 1});
  result_.arguments.insert(result_.arguments.end(), {GridBeginArgument{}, GridEndArgument{}});
  declare_scopes();
  build_.for_loop(begin, end, build_.index(1), {}, [&](ValueId point, const std::vector<ValueId>&) {
    lower_point(point, result_.grid);
    return std::vector<ValueId>{};
  });
  result_.kernel = build_.finish();
  return std::move(result_);
}

LoweredKernel Lowering::run_block() {
  declare_tensors();
  begin_ = build_.parameter("begin", {Element::i64, 1});
  result_.arguments.push_back(GridBeginArgument{});
  if (const tile::For* loop = tile::find_engine_loop(program_)) declare_maps(*loop);
  declare_threads();
  declare_scopes();
  if (!result_.most_points && machine_.most_divided_points > 0 && result_.grid.size() > 1)
    result_.most_points = machine_.most_divided_points;
  if (engine_)
    run_roles();
  else
    lower_point(build_.add(begin_, build_.special(Special::block)), result_.grid);
  result_.kernel = build_.finish();
  return std::move(result_);
}

/// The point's number along each axis of the grid. The last one is fastest; but the points of a band, its last one
/// shorter, go on before the last of the other axes does. In 32 bits where the number of points is held to so many:
/// where a matrix unit multiplies, since divisions of 64 are calls, and the driver's linker lets no product run on
/// beside a kernel's calls; and where the target says so.
std::vector<ValueId> Lowering::point_coordinates(ValueId point, const std::vector<IntExpr>& counts) {
  const Element element = result_.most_points ? Element::i32 : Element::i64;
  const auto narrow = [&](ValueId value) {
    return element == Element::i64 ? value : build_.convert(Opcode::trunc, value, element);
  };
  const auto count_of = [&](const IntExpr& value) { return narrow(size(value)); };
  const auto number = [&](std::int64_t value) { return build_.constant({element, 1}, Scalar::of(value)); };
  point = narrow(point);
  std::vector<ValueId> coordinates(counts.size());
  const tile::GridAxis* band = tile::find_band(program_);
  std::vector<std::size_t> order;  // of the axes, outermost first
  std::optional<std::size_t> banded;
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
    if (&program_.grid[axis] == band && counts.size() > 1)
      banded = axis;
    else
      order.push_back(axis);
  if (banded) {
    const std::size_t other = order.back();
    order.pop_back();
    ValueId rest = point;
    if (!order.empty()) {
      const ValueId plane = count_of(counts[*banded] * counts[other]);
      rest = build_.binary(Opcode::urem, point, plane);
      point = build_.binary(Opcode::udiv, point, plane);
    }
    // Where it is past 32 bits, as good as any number that no point reaches.
    ValueId whole = size(counts[other] * band->band);
    if (result_.most_points) whole = build_.binary(Opcode::smin, whole, build_.index(*result_.most_points));
    whole = narrow(whole);
    const ValueId first = build_.mul(build_.binary(Opcode::udiv, rest, whole), number(band->band));
    const ValueId length =
        build_.binary(Opcode::smin, build_.sub(count_of(counts[*banded]), first), number(band->band));
    rest = build_.binary(Opcode::urem, rest, whole);
    coordinates[*banded] = build_.add(first, build_.binary(Opcode::urem, rest, length));
    coordinates[other] = build_.binary(Opcode::udiv, rest, length);
  }
  while (!order.empty()) {
    const std::size_t axis = order.back();
    order.pop_back();
    const ValueId count = count_of(counts[axis]);
    coordinates[axis] = order.empty() ? point : build_.binary(Opcode::urem, point, count);
    if (!order.empty()) point = build_.binary(Opcode::udiv, point, count);
  }
  for (ValueId& coordinate : coordinates)
    if (element != Element::i64) coordinate = build_.convert(Opcode::zext, coordinate, Element::i64);
  return coordinates;
}

void Lowering::lower_point(ValueId point, const std::vector<IntExpr>& counts) {
  std::vector<ValueId> bases = point_coordinates(point, counts);
  point_numbers_.clear();
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    const IterId iter = program_.grid[axis].iter;
    const IntExpr& step = program_.grid[axis].step;
    const auto same = [&](const tile::GridAxis& each) { return each.iter == iter; };
    if (std::ranges::count_if(program_.grid, same) == 1) point_numbers_[iter] = {step, bases[axis]};
    bases[axis] = build_.mul(bases[axis], size(step));
  }
  // Grid axes that tiles lie along directly: such a point is either full or masked as a whole.
  ValueId all_full;
  std::vector<bool> is_tile(counts.size()), is_single(counts.size());
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    const IterId iter = program_.grid[axis].iter;
    is_single[axis] = has_threads() && program_.grid[axis].step.is_constant(1);
    is_tile[axis] = has_axis(program_.body, iter) && !has_loop(program_.body, iter) && !is_single[axis];
    if (!is_tile[axis]) continue;
    const ValueId end = build_.add(bases[axis], size(program_.grid[axis].step));
    const ValueId full = build_.cmp(Predicate::sle, end, scopes_.at(iter).limit);
    all_full = all_full.valid() ? build_.binary(Opcode::bit_and, all_full, full) : full;
  }
  const auto enter = [&](auto&& self, std::size_t axis, bool full) -> void {
    if (axis == counts.size()) {
      point_scopes_ = scopes_;
      if (produces_) return produce(program_.body);
      return has_threads() && !pending_.empty() ? lower_point_in_stages() : lower_block(program_.body);
    }
    const IterId iter = program_.grid[axis].iter;
    const ValueId end = build_.add(bases[axis], size(program_.grid[axis].step));
    const bool exact = (full && is_tile[axis]) || is_single[axis];
    const ValueId limit = exact ? end : build_.binary(Opcode::smin, end, scopes_.at(iter).limit);
    const IntExpr& step = program_.grid[axis].step;
    const std::int64_t length = exact && step.is_constant() ? step.constant() : 0;
    in_scope(iter, Scope{bases[axis], limit, exact, length, scopes_.at(iter).granule_by(step)},
             [&] { self(self, axis + 1, full); });
  };
  std::vector<IterId> tiles;
  std::vector<std::int64_t> lengths;
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    if (!is_tile[axis]) continue;
    const IntExpr& step = program_.grid[axis].step;
    tiles.push_back(program_.grid[axis].iter);
    lengths.push_back(step.is_constant() ? step.constant() : 0);
  }
  // A block's threads take one way together, chosen once, unless copies alone differ in the loops; tasks choose again
  // for each loop, which is less code.
  if (all_full.valid() && (has_threads() ? has_stages(program_.body) : has_peeled_loop(program_.body))) {
    pending_.push_back({all_full, tiles, lengths});
    enter(enter, 0, false);
    pending_.pop_back();
    return;
  }
  if (!all_full.valid()) return enter(enter, 0, false);
  const auto branch = [&](bool full) {
    enter(enter, 0, full);
    return std::vector<ValueId>{};
  };
  build_.if_then(all_full, [&] { return branch(true); }, [&] { return branch(false); });
}

void Lowering::lower_block(const tile::Block& block) {
  for (const tile::Op& op : block.ops) lower_op(op);
}

std::vector<Registers> Lowering::run_ops(const tile::Block& block) {
  lower_block(block);
  std::vector<Registers> yields;
  for (tile::ValueId id : block.yields) yields.push_back(tiles_.at(id));
  return yields;
}

void Lowering::lower_op(const tile::Op& op) {
  const auto one = [&](Registers tile) { tiles_[op.results[0]] = std::move(tile); };
  const auto many = [&](std::vector<Registers> tiles) {
    for (std::size_t i = 0; i < op.results.size(); ++i) tiles_[op.results[i]] = std::move(tiles[i]);
  };
  std::visit(Overloaded{[&](const tile::Fill& n) { one(fill(op, n.value)); },
                        [&](const tile::Iota& n) { one(iota(op, n.iter)); },
                        [&](const tile::ExtentValue& n) { one(Registers{DType::i64, {}, {size(n.value)}}); },
                        [&](const tile::Load& n) { one(load(op, n)); },
                        [&](const tile::LoadBuffer&) {
                          if (!matrix_loads_.contains(op.results[0])) one(load_buffer(op));
                        },
                        [&](const tile::Map& n) { one(map(op, n)); },
                        [&](const tile::Cast& n) { one(cast(op, n)); },
                        [&](const tile::Mask& n) { one(mask(op, n)); },
                        [&](const tile::Reduce& n) { one(reduce(op, n)); },
                        [&](const tile::Contract& n) {
                          switch (n.unit) {
                            case tile::Unit::scalar:
                              return one(contract(n));
                            case tile::Unit::warpgroup:
                              return one(contract_by_warpgroup(n));
                            case tile::Unit::warp:
                            case tile::Unit::simdgroup:
                              return one(contract_by_warp(n));
                          }
                        },
                        [&](const tile::ConvertLayout& n) { one(convert_layout(op, n)); },
                        [&](const tile::For& n) { many(lower_for(n)); },
                        [&](const tile::If& n) { many(lower_if(n)); },
                        [&](const tile::Allocate& n) { allocate(n.buffer); },
                        [&](const tile::Copy& n) { copy(n); },
                        [&](const tile::ReduceAcross& n) { one(reduce_across(op, n)); },
                        [&](const tile::Barrier&) { barrier(); },
                        [&](const tile::Store& n) { store(op, n); },
                        [&](const tile::StoreBuffer& n) { store_buffer(op, n); },
                        [&](const tile::Prefetch& n) { prefetch(op, n); }},
             op.node);
}

void Lowering::allocate(tile::BufferId buffer) {
  if (has_threads()) return allocate_shared(buffer);
  const ValueId address = build_.offset(workspace_, size(buffer_offsets_.at(buffer)));
  for (const auto& [key, map] : accesses_)
    if (map.buffer == buffer) pointers_[key] = address;
}

// ---- Structure ----

std::vector<ValueId> flatten(const std::vector<Registers>& tiles) {
  std::vector<ValueId> values;
  for (const Registers& tile : tiles) values.insert(values.end(), tile.values.begin(), tile.values.end());
  return values;
}

std::vector<Registers> unflatten(std::vector<Registers> like, const std::vector<ValueId>& values) {
  auto next = values.begin();
  for (Registers& tile : like)
    for (ValueId& value : tile.values) value = *next++;
  return like;
}

std::vector<Registers> Lowering::lower_for(const tile::For& loop) {
  std::vector<Registers> carried;
  for (tile::ValueId id : loop.initial) carried.push_back(tiles_.at(id));
  if (loop.stages > 1) return lower_staged(loop, std::move(carried));
  const Scope outer = scopes_.at(loop.iter);
  if (const std::int64_t times = repetitions(loop, outer.length); times > 0)
    return lower_in_chunks(loop, times, std::move(carried));
  if (!is_peeled(loop)) return lower_for_range(loop, outer.base, outer.limit, Edge::none, std::move(carried));
  if (has_threads()) return lower_peeled(loop, std::move(carried));
  if (has_peeled_loop(loop.body))
    return lower_for_range(loop, outer.base, outer.limit, Edge::deferred, std::move(carried));
  if (!pending_.empty() && carried.empty())
    return lower_for_range(loop, outer.base, outer.limit, Edge::branch, std::move(carried));
  if (!pending_.empty()) return lower_under_pending(loop, std::move(carried));
  return lower_peeled(loop, std::move(carried));
}

/// A reduction inside of tiles that may be on an edge: two copies of the peeled loop, chosen before it.
std::vector<Registers> Lowering::lower_under_pending(const tile::For& loop, std::vector<Registers> carried) {
  std::vector<Registers> like;
  const std::vector<ValueId> merged = build_.if_then(
      pending_full(), [&] { return flatten(like = with_pending_full([&] { return lower_peeled(loop, carried); })); },
      [&] {
        const std::vector<Pending> pending = std::exchange(pending_, {});
        const std::vector<Registers> masked = lower_peeled(loop, carried);
        pending_ = pending;
        return flatten(masked);
      });
  return unflatten(std::move(like), merged);
}

ValueId Lowering::pending_full() {
  ValueId all;
  for (const Pending& pending : pending_)
    all = all.valid() ? build_.binary(Opcode::bit_and, all, pending.full) : pending.full;
  return all;
}

/// How often a loop over a full scope of `length` points runs, where that is few enough to repeat its body in place,
/// with what is repeated inside of it; else 0. Only threads want that: addresses become constants, and loads can be
/// moved before what uses them.
std::int64_t Lowering::repetitions(const tile::For& loop, std::int64_t length) const {
  constexpr std::int64_t most = 32;
  if (!has_threads() || length == 0 || !loop.step.is_constant()) return 0;
  const std::int64_t step = loop.step.constant();
  if (length % step != 0 || length / step > most) return 0;
  return length / step * copies_inside(loop) <= most ? length / step : 0;
}

/// How often the innermost body inside of a loop is repeated in place.
std::int64_t Lowering::copies_inside(const tile::For& loop) const {
  std::int64_t copies = 1;
  for (const tile::Op& op : loop.body.ops)
    if (const auto* inner = std::get_if<tile::For>(&op.node)) {
      const std::int64_t step = loop.step.is_constant() ? loop.step.constant() : 0;
      const std::int64_t length = inner->iter == loop.iter ? step : scopes_.at(inner->iter).length;
      copies = std::max(copies, copies_inside(*inner) * std::max<std::int64_t>(repetitions(*inner, length), 1));
    }
  return copies;
}

/// As many steps in place as the loop says, in a loop over such chunks; without its word all of them.
std::vector<Registers> Lowering::lower_in_chunks(const tile::For& loop, std::int64_t times,
                                                 std::vector<Registers> carried) {
  std::int64_t chunk = loop.unroll > 0 ? std::min(loop.unroll, times) : times;
  while (times % chunk != 0) --chunk;
  if (chunk == times) return lower_repeated(loop, times, std::move(carried));
  const Scope outer = scopes_.at(loop.iter);
  const std::int64_t length = loop.step.constant() * chunk;
  const std::vector<ValueId> results = this->loop(
      outer.base, outer.limit, build_.index(length), flatten(carried),
      [&](ValueId base, const std::vector<ValueId>& arguments) {
        std::vector<Registers> yields;
        const Scope scope{base, build_.add(base, build_.index(length)), true, length, outer.granule_by(length)};
        in_scope(loop.iter, scope, [&] { yields = lower_repeated(loop, chunk, unflatten(carried, arguments)); });
        return flatten(yields);
      });
  return unflatten(std::move(carried), results);
}

std::vector<Registers> Lowering::lower_repeated(const tile::For& loop, std::int64_t times,
                                                std::vector<Registers> carried) {
  const Scope outer = scopes_.at(loop.iter);
  const std::int64_t step = loop.step.constant();
  for (std::int64_t time = 0; time < times; ++time) {
    const ValueId base = build_.add(outer.base, build_.index(time * step));
    in_scope(loop.iter, Scope{base, build_.add(base, build_.index(step)), true, step, outer.granule_by(step)},
             build_.index(time * step), [&] {
               for (std::size_t i = 0; i < carried.size(); ++i) tiles_[loop.body.arguments[i]] = carried[i];
               carried = run_ops(loop.body);
             });
  }
  return carried;
}

std::vector<Registers> Lowering::lower_peeled(const tile::For& loop, std::vector<Registers> carried) {
  const Scope outer = scopes_.at(loop.iter);
  const ValueId step = size(loop.step);
  if (outer.length > 0 && loop.step.is_constant() && outer.length % loop.step.constant() == 0)
    return lower_for_range(loop, outer.base, outer.limit, Edge::full, std::move(carried));

  // Full steps first, then what remains of the scope under masks.
  const ValueId length = build_.sub(outer.limit, outer.base);
  const ValueId whole = build_.mul(build_.binary(Opcode::udiv, length, step), step);
  const ValueId middle = build_.add(outer.base, whole);
  carried = lower_for_range(loop, outer.base, middle, Edge::full, std::move(carried));
  const ValueId remains = build_.cmp(Predicate::slt, middle, outer.limit);
  const std::vector<ValueId> merged = build_.if_then(
      remains,
      [&] {
        std::vector<Registers> last;
        in_scope(loop.iter, Scope{middle, outer.limit, false, 0, outer.granule_by(loop.step)}, [&] {
          for (std::size_t i = 0; i < carried.size(); ++i) tiles_[loop.body.arguments[i]] = carried[i];
          last = run_ops(loop.body);
        });
        return flatten(last);
      },
      [&] { return flatten(carried); });
  return unflatten(std::move(carried), merged);
}

std::vector<Registers> Lowering::lower_for_range(const tile::For& loop, ValueId begin, ValueId end, Edge edge,
                                                 std::vector<Registers> carried) {
  const ValueId outer_limit = scopes_.at(loop.iter).limit;
  const ValueId step = size(loop.step);
  const auto run = [&](const std::vector<ValueId>& arguments) {
    const std::vector<Registers> tiles = unflatten(carried, arguments);
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles_[loop.body.arguments[i]] = tiles[i];
    return run_ops(loop.body);
  };
  const std::vector<ValueId> results =
      this->loop(begin, end, step, flatten(carried), [&](ValueId base, const std::vector<ValueId>& arguments) {
        const ValueId next = build_.add(base, step);
        const bool exact = edge == Edge::full || loop.step.is_constant(1);
        const Scope scope{base, exact ? next : build_.binary(Opcode::smin, next, outer_limit), exact,
                          exact && loop.step.is_constant() ? loop.step.constant() : 0,
                          scopes_.at(loop.iter).granule_by(loop.step)};
        std::vector<Registers> yields;
        in_scope(loop.iter, scope, [&] {
          if (edge == Edge::full || edge == Edge::none) {
            yields = run(arguments);
            return;
          }
          pending_.push_back({build_.cmp(Predicate::sle, next, outer_limit), {loop.iter}, {}});
          if (edge == Edge::deferred) {
            yields = run(arguments);
          } else {
            build_.if_then(
                pending_full(), [&] { return with_pending_full([&] { return run({}); }), nothing(); },
                [&] { return run({}), nothing(); });
          }
          pending_.pop_back();
        });
        return flatten(yields);
      });
  return unflatten(std::move(carried), results);
}

/// The innermost loop over an iterator that tiles lie along: its last step may be on the edge.
bool Lowering::is_peeled(const tile::For& loop) const {
  if (loop.step.is_constant(1)) return false;
  if (has_axis(loop.body, loop.iter) && !has_loop(loop.body, loop.iter)) return true;
  // Loops inside that are repeated in place where its steps are full.
  bool repeats = false;
  if (has_threads() && loop.step.is_constant())
    tile::walk(loop.body, [&](const tile::Op& op) {
      const auto* inner = std::get_if<tile::For>(&op.node);
      repeats = repeats || (inner && inner->iter == loop.iter && repetitions(*inner, loop.step.constant()) > 0);
    });
  return repeats;
}

bool Lowering::has_peeled_loop(const tile::Block& block) const {
  bool found = false;
  tile::walk(block, [&](const tile::Op& op) {
    if (const auto* loop = std::get_if<tile::For>(&op.node)) found = found || is_peeled(*loop);
  });
  return found;
}

std::vector<Registers> Lowering::lower_if(const tile::If& branch) {
  ValueId condition;
  for (IterId iter : branch.iters) {
    const Scope& scope = scopes_.at(iter);
    const ValueId here = branch.when == tile::When::first
                             ? build_.cmp(Predicate::eq, scope.base, point_scopes_.at(iter).base)
                             : build_.cmp(Predicate::eq, scope.limit, point_scopes_.at(iter).limit);
    condition = condition.valid() ? build_.binary(Opcode::bit_and, condition, here) : here;
  }
  std::vector<Registers> like;
  const std::vector<ValueId> results = build_.if_then(
      condition,
      [&] {
        like = run_ops(branch.then_block);
        return flatten(like);
      },
      [&] { return flatten(run_ops(branch.else_block)); });
  return unflatten(std::move(like), results);
}

bool Lowering::has_loop(const tile::Block& block, IterId iter) const {
  bool found = false;
  tile::walk(block, [&](const tile::Op& op) {
    if (const auto* loop = std::get_if<tile::For>(&op.node)) found = found || loop->iter == iter;
  });
  return found;
}

bool Lowering::has_axis(const tile::Block& block, IterId iter) const {
  bool found = has_thread_axis(iter);
  tile::walk(block, [&](const tile::Op& op) {
    for (tile::ValueId id : op.results)
      for (const Axis& axis : program_.values[id].type.axes) found = found || (axis.iter == iter && axis.size > 1);
  });
  return found;
}

}  // namespace lowering
}  // namespace tilewright::kernel
