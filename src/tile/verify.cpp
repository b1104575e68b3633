// The invariants of a tile program, checked. Between any two passes a program keeps all of them:
//
//  1. Names. Tensors, iterators and buffers each have a name of their own kind, unique among their kind. (T001)
//  2. Tables. Every id lies in its table; a tensor has at most nest::most_axes axes and an alignment that is a power of
//     two; an axis's size is positive; a tile has each iterator once and at most 2²² elements. (T002)
//  3. SSA. Every value that is read was defined before, in the same block or one around it, and by one op or block
//     only. (T003)
//  4. Results. A pure op has one result, an effect none, For and If one a yield; the program's block has no arguments
//     and yields nothing. (T004)
//  5. Types, by axis names. (T005)
//       map       the operator's classes; operands' axes are among the result's, of the same size
//       cast      any dtype; the same axes          mask    operand's axes among the result's, the same dtype
//       reduce    the result's axes among the operand's; sum and product take numbers
//       contract  accumulator = result; lhs and rhs have one dtype, of the accumulator's class, numbers; all axes of
//                 one iterator have one size
//       iota      i64 [] or [its iterator]          extent  i64 []
//       load, load_buffer, store, store_buffer, copy: the memory's dtype
//       convert_layout: the same dtype and axes, whatever the lanes
//     A scalar in the program (fill, mask, otherwise) is of its dtype's class.
//  6. Coverage. In an op that has coordinates, an axis is at least as long as the innermost step (where that is a
//     constant) over its iterator. (T006)
//  7. Access. As many index slots as the tensor's rank; what stores names an output, each iterator once, and every axis
//     of the value without a block; a buffer's axes name each iterator once, and what is loaded from or stored to a
//     buffer has only its iterators as axes. (T007)
//  8. Phase. Packed buffers, copies, layout conversions and lanes are of the placed phase; plain buffers, which hold
//     accumulators between two passes over a reduction, are of both. (T008)
//  9. Structure. Initial tiles, arguments, yields and results of a For agree in number and type; so do both branches'
//     yields and the results of an If. (T009)
// 10. Steps. Steps, blocks of stores, capacities and strides' inner lengths are positive where they are constants, and
//     a constant capacity is a multiple of the inner length. (T010)
// 11. Buffers. A buffer is allocated at one place, which comes before its uses, in their block or one around it. (T011)
// 12. Lanes (placed phase). A tile has at most one axis of lanes, and all tiles of an op other than convert_layout
//     agree on which axes run along lanes. (T012)
// 13. Threads. A thread axis has a positive count and step; a block has 1 to 1024 threads. Pieces of an axis divide it,
//     and no two threads' coordinates of one axis are the same: from the base on, they are 0, 1, … without a gap.
//     Barriers, shared memory and reduce_across are of programs with threads, the latter along an iterator that has one
//     axis of them and that is no axis of the tile. (T013)
// 14. Stages. A loop of several stages (at most 8) is of the placed phase and of threads, and has a constant step; its
//     body opens with the allocations of shared buffers and the copies into them, and nothing else in it allocates,
//     fills or stores to a shared buffer. (T014)
// 15. Matrix units. What is loaded from a swizzled buffer is a factor of contractions by matrix units. These have
//     factors that are loads from shared buffers, of warpgroups from swizzled ones, in elements that the unit
//     multiplies (support/matrix_unit.h); lhs of f32 may come to warpgroups from registers. Their blocks have whole
//     warpgroups of 128 threads, or whole warps. A swizzled buffer has constant strides. (T015) That the tile is dealt
//     to threads as the unit deals it is not checked here, but by the lowering.
// 16. The copy engine. Copies by it open a loop with stages that has no others, and engine_copy.h says that it can do
//     them. (T016)
// 17. Bands. One axis of the placed grid of a program with threads has a band at most, which its clusters divide; those
//     of several blocks are of programs with copies by the engine that engine_copy.h says blocks can share. (T017)
// 18. Stores by the engine. A store through a buffer is of a program with copies by the engine; the buffer is shared
//     and has no other use, and engine_copy.h says that the engine can store from it. (T018)
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "support/matrix_unit.h"
#include "tile/engine_copy.h"
#include "tile/verify_op.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 22;
constexpr std::int64_t most_threads = 1024;

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), defined_(program.values.size()), visible_(program.values.size()) {}

  Result<void> run() {
    check_tables();
    // Ops are looked at only where every id can be followed.
    if (errors_.empty()) check_ids(program_.body);
    if (errors_.empty()) check_body();
    if (errors_.empty()) return {};
    return std::unexpected(std::move(errors_));
  }

 private:
  void error(std::string_view code, std::string message) {
    errors_.push_back({std::string(code), fmt::format("tile {}: {}", program_.name, message), "", nullptr, {}});
  }
  void error(std::string_view code, const Op& op, std::string_view message) {
    error(code, fmt::format("`{}`: {}", to_text(program_, op), message));
  }
  const TileType& type(ValueId id) const { return program_.values[id].type; }
  const std::string& name(IterId id) const { return program_.iters[id].name; }

  template <class Items>
  void check_names(const Items& items, std::string_view kind) {
    std::set<std::string> seen;
    for (const auto& item : items) {
      if (item.name.empty()) error("T001", fmt::format("a {} has no name", kind));
      if (!seen.insert(item.name).second) error("T001", fmt::format("two {}s are named '{}'", kind, item.name));
    }
  }

  void check_tables() {
    check_names(program_.tensors, "tensor");
    check_names(program_.iters, "iterator");
    check_names(program_.buffers, "buffer");
    for (const Tensor& tensor : program_.tensors) {
      if (std::ssize(tensor.strides) > nest::most_axes)
        error("T002",
              fmt::format("tensor {} has {} axes; at most {}", tensor.name, tensor.strides.size(), nest::most_axes));
      if (!std::has_single_bit(tensor.stride_align))
        error("T002", fmt::format("tensor {}: align {} is not a power of two", tensor.name, tensor.stride_align));
      if (!std::has_single_bit(tensor.align))
        error("T002", fmt::format("tensor {}: align {} is not a power of two", tensor.name, tensor.align));
    }
    check_threads();
    check_bands();
    for (const Value& value : program_.values) check_type(value);
    for (const Buffer& buffer : program_.buffers) check_buffer(buffer);
    for (const GridAxis& axis : program_.grid) {
      if (!program_.iters.contains(axis.iter))
        error("T002", "the grid names an iterator that does not exist");
      else
        check_positive(axis.step, fmt::format("the grid's step over {}", name(axis.iter)));
    }
    const auto is_packed = [](const Buffer& buffer) {
      return std::ranges::any_of(buffer.axes, [](const BufferAxis& axis) { return axis.inner > 1; });
    };
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.swizzled && buffer.space != Space::shared)
        error("T008", fmt::format("buffer {}: only shared memory is swizzled", buffer.name));
      const auto is_constant = [](const BufferAxis& axis) {
        return axis.capacity.is_constant() && axis.outer_stride.is_constant();
      };
      if (buffer.swizzled && !(buffer.elements.is_constant() && std::ranges::all_of(buffer.axes, is_constant)))
        error("T015", fmt::format("buffer {} is swizzled and its strides are not constant", buffer.name));
    }
    if (program_.phase == Phase::value && std::ranges::any_of(program_.buffers, is_packed))
      error("T008", "packed buffers belong to the placed phase");
  }

  void check_threads() {
    std::int64_t threads = 1;
    for (const ThreadAxis& axis : program_.threads) {
      if (!program_.iters.contains(axis.iter)) {
        error("T002", "the threads name an iterator that does not exist");
        continue;
      }
      if (axis.count < 1 || axis.step < 1 || axis.count > most_threads || axis.step > most_elements)
        return error("T013",
                     fmt::format("{} threads along {}, {} points apart", axis.count, name(axis.iter), axis.step));
      threads *= axis.count;
      if (threads > most_threads) return error("T013", "a block has more than 1024 threads");
    }
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.space != Space::shared) continue;
      if (program_.threads.empty())
        error("T013", fmt::format("buffer {} is in shared memory, and the program has no threads", buffer.name));
      if (program_.phase == Phase::value)
        error("T008", fmt::format("buffer {}: shared memory belongs to the placed phase", buffer.name));
    }
  }

  void check_bands() {
    constexpr std::int64_t most_blocks = 8;
    int bands = 0;
    for (const GridAxis& axis : program_.grid) {
      if (axis.band == 1 && axis.cluster == 1) continue;
      ++bands;
      const bool fits = axis.band > 1 && axis.band <= most_elements && axis.cluster >= 1 &&
                        axis.cluster <= most_blocks && axis.band % axis.cluster == 0;
      if (!fits || bands > 1 || program_.threads.empty() || program_.phase == Phase::value)
        error("T017", fmt::format("band {} in clusters of {}", axis.band, axis.cluster));
    }
  }
  /// Where every id can be followed and every buffer has its strides.
  void check_clusters() {
    if (!errors_.empty()) return;
    for (const GridAxis& axis : program_.grid)
      if (axis.cluster > 1 && !can_cluster(program_, axis, axis.cluster))
        error("T017", fmt::format("blocks along {} share no copies by the engine", name(axis.iter)));
  }

  /// The coordinates of an axis that a block's threads hold together: each once, without a gap.
  bool tiles_evenly(const Axis& axis) const {
    if (!find_threads(program_, axis.iter)) return axis.chunk == 0 || axis.apart == axis.chunk;
    std::vector<std::int64_t> offsets{0};  // of the threads
    for (const ThreadAxis& threads : program_.threads) {
      if (threads.iter != axis.iter) continue;
      const std::vector<std::int64_t> before = std::exchange(offsets, {});
      for (std::int64_t offset : before)
        for (std::int64_t thread = 0; thread < threads.count; ++thread)
          offsets.push_back(offset + thread * threads.step);
    }
    const std::size_t all = offsets.size() * static_cast<std::size_t>(axis.size);
    if (all > static_cast<std::size_t>(most_elements)) return false;
    std::vector<bool> held(all, false);
    for (std::int64_t offset : offsets)
      for (std::int64_t position = 0; position < axis.size; ++position) {
        const auto at = static_cast<std::size_t>(offset + axis.offset(position));
        if (at >= held.size() || held[at]) return false;
        held[at] = true;
      }
    return true;
  }

  void check_pieces(const Value& value, const Axis& axis) {
    const bool sane = axis.chunk >= 0 && axis.chunk <= axis.size && axis.apart >= 0 && axis.apart <= most_elements &&
                      (axis.chunk == 0 || axis.size % axis.chunk == 0);
    if (!sane)
      error("T013", fmt::format("%{}: axis {} of size {} in pieces of {} that lie {} apart", value.name,
                                name(axis.iter), axis.size, axis.chunk, axis.apart));
    else if (errors_.empty() && !tiles_evenly(axis))
      error("T013", fmt::format("%{}: the block's threads do not hold each coordinate of axis {} once", value.name,
                                name(axis.iter)));
  }

  void check_type(const Value& value) {
    std::int64_t elements = 1;
    std::set<IterId> seen;
    std::size_t lanes = 0;
    for (const Axis& axis : value.type.axes) {
      if (!program_.iters.contains(axis.iter))
        return error("T002", fmt::format("an axis of %{} names an iterator that does not exist", value.name));
      if (!seen.insert(axis.iter).second)
        error("T002", fmt::format("%{} has two axes of iterator {}", value.name, name(axis.iter)));
      if (axis.size < 1 || axis.size > most_elements)
        return error("T002", fmt::format("%{}: axis {} has size {}; a size is 1 to 2^22", value.name, name(axis.iter),
                                         axis.size));
      elements *= axis.size;
      if (elements > most_elements) return error("T002", fmt::format("%{} has more than 2^22 elements", value.name));
      lanes += axis.lanes ? 1 : 0;
      check_pieces(value, axis);
    }
    if (lanes > 0 && program_.phase == Phase::value)
      error("T008", fmt::format("%{}: lanes belong to the placed phase", value.name));
    if (lanes > 1) error("T012", fmt::format("%{} has {} axes of lanes; at most one", value.name, lanes));
  }

  void check_buffer(const Buffer& buffer) {
    std::set<IterId> seen;
    for (const BufferAxis& axis : buffer.axes) {
      if (!program_.iters.contains(axis.iter)) {
        error("T002", fmt::format("buffer {} names an iterator that does not exist", buffer.name));
        continue;
      }
      if (!seen.insert(axis.iter).second)
        error("T007", fmt::format("buffer {} has two axes of iterator {}", buffer.name, name(axis.iter)));
      const std::string what = fmt::format("buffer {}, axis {}", buffer.name, name(axis.iter));
      check_positive(axis.capacity, what + ": the capacity");
      check_positive(axis.inner, what + ": the inner length");
      if (axis.inner > 0 && axis.capacity.is_constant() && axis.capacity.constant() % axis.inner != 0)
        error("T010", fmt::format("{}: capacity {} is not a multiple of the inner length {}", what,
                                  axis.capacity.constant(), axis.inner));
    }
  }

  void check_positive(const IntExpr& value, const std::string& what) {
    if (value.is_constant() && value.constant() < 1)
      error("T010", fmt::format("{} is {}; it must be positive", what, value.constant()));
  }

  // ---- ids

  void check_ids(const Block& block) {
    for (ValueId id : block.arguments) check_id(program_.values, id, "value");
    for (ValueId id : block.yields) check_id(program_.values, id, "value");
    for (const Op& op : block.ops) {
      for (ValueId id : op.results) check_id(program_.values, id, "value");
      for_each_operand(op, [&](ValueId id) { check_id(program_.values, id, "value"); });
      check_node_ids(op);
      for_each_block(op, [&](const Block& inner) { check_ids(inner); });
    }
  }
  template <class Items, class IdType>
  void check_id(const Items& items, IdType id, std::string_view kind) {
    if (!items.contains(id)) error("T002", fmt::format("an op names a {} that does not exist", kind));
  }
  void check_slots(TensorId tensor, const std::vector<Affine>& index) {
    check_id(program_.tensors, tensor, "tensor");
    for (const Affine& slot : index)
      for (const Affine::Term& term : slot.terms) check_id(program_.iters, term.iter, "iterator");
  }
  void check_node_ids(const Op& op) {
    const auto iters = [&](const std::vector<IterId>& ids) {
      for (IterId id : ids) check_id(program_.iters, id, "iterator");
    };
    std::visit(Overloaded{
                   [](const Fill&) {},
                   [&](const Iota& n) { iters({n.iter}); },
                   [](const ExtentValue&) {},
                   [&](const Load& n) { check_slots(n.tensor, n.index); },
                   [&](const LoadBuffer& n) { check_id(program_.buffers, n.buffer, "buffer"); },
                   [](const Map&) {},
                   [](const Cast&) {},
                   [&](const Mask& n) { iters(n.iters); },
                   [](const Reduce&) {},
                   [](const Contract&) {},
                   [](const ConvertLayout&) {},
                   [&](const ReduceAcross& n) { iters({n.iter}); },
                   [&](const For& n) { iters({n.iter}); },
                   [&](const If& n) { iters(n.iters); },
                   [&](const Allocate& n) { check_id(program_.buffers, n.buffer, "buffer"); },
                   [&](const Copy& n) {
                     check_slots(n.tensor, n.index);
                     check_id(program_.buffers, n.buffer, "buffer");
                   },
                   [&](const Store& n) {
                     check_id(program_.tensors, n.tensor, "tensor");
                     if (n.through.valid()) check_id(program_.buffers, n.through, "buffer");
                     for (const StoreIndex& slot : n.index) iters({slot.iter});
                   },
                   [&](const StoreBuffer& n) { check_id(program_.buffers, n.buffer, "buffer"); },
                   [&](const Prefetch& n) {
                     check_slots(n.tensor, n.index);
                     for (const Axis& axis : n.type.axes) iters({axis.iter});
                   },
                   [](const Barrier&) {},
               },
               op.node);
  }

  // ---- ops in their places

  /// What a place in the program knows: the constant innermost steps (nullopt where one is not constant), the buffers
  /// allocated so far.
  struct Place {
    std::map<IterId, std::optional<std::int64_t>> steps;
    std::set<BufferId> buffers;
  };

  void check_body() {
    Place place;
    for (const GridAxis& axis : program_.grid) place.steps[axis.iter] = constant(axis.step);
    if (!program_.body.arguments.empty() || !program_.body.yields.empty())
      error("T004", "the program's own block has no arguments and yields nothing");
    check_block(program_.body, place);
    check_clusters();
  }
  static std::optional<std::int64_t> constant(const IntExpr& expr) {
    return expr.is_constant() ? std::optional(expr.constant()) : std::nullopt;
  }

  void define(ValueId id) {
    if (defined_[id.index]) error("T003", fmt::format("%{} is defined twice", program_.values[id].name));
    defined_[id.index] = visible_[id.index] = true;
  }
  void check_block(const Block& block, Place place) {
    std::vector<ValueId> here = block.arguments;
    for (ValueId id : block.arguments) define(id);
    for (const Op& op : block.ops) {
      for_each_operand(op, [&](ValueId id) {
        if (!visible_[id.index])
          error("T003", op, fmt::format("%{} is not defined before this op", program_.values[id].name));
      });
      check_op(op, place);
      for (ValueId id : op.results) define(id);
      here.insert(here.end(), op.results.begin(), op.results.end());
    }
    for (ValueId id : block.yields) {
      if (!visible_[id.index])
        error("T003", fmt::format("%{} is yielded where it is not defined", program_.values[id].name));
      if (swizzled_.contains(id))
        error("T015", fmt::format("%{} is yielded, and is a load from a swizzled buffer", program_.values[id].name));
    }
    for (ValueId id : here) visible_[id.index] = false;
  }

  /// Swizzled memory is the matrix units' alone.
  void check_units(const Op& op) {
    const auto is_swizzled = [&](ValueId id) { return swizzled_.contains(id); };
    const auto* contract = std::get_if<Contract>(&op.node);
    const bool by_unit = contract && contract->unit != Unit::scalar;
    const bool by_group = contract && contract->unit == Unit::warpgroup;
    if (by_group && block_threads(program_) % matrix_unit::threads != 0)
      error("T015", op, "the block has no whole warpgroups of 128 threads");
    if (by_unit && !by_group && block_threads(program_) % matrix_unit::warp_threads != 0)
      error("T015", op, "the block has no whole warps of 32 threads");
    const auto is_factor = [&](ValueId id) { return is_swizzled(id) || (!by_group && in_shared_.contains(id)); };
    if (by_unit && !(is_factor(contract->lhs) && is_factor(contract->rhs)))
      error("T015", op,
            fmt::format("a factor of a matrix unit is no load from a {} buffer", by_group ? "swizzled" : "shared"));
    if (by_unit) {
      const DType of = type(contract->lhs).dtype;
      const DType sums = type(contract->accumulator).dtype;
      if (matrix_unit::find_product(contract->unit, of, sums) == nullptr)
        error("T015", op, fmt::format("no matrix unit sums {} in {}", tilewright::name(of), tilewright::name(sums)));
      if (contract->from_registers && (of != DType::f32 || contract->unit != Unit::warpgroup))
        error("T015", op, fmt::format("threads load no {} for a matrix unit", tilewright::name(of)));
    }
    for_each_operand(op, [&](ValueId id) {
      if (is_swizzled(id) && !(by_unit && (id == contract->lhs || id == contract->rhs)))
        error("T015", op, "a load from a swizzled buffer is used by other than a matrix unit");
    });
    if (const auto* store = std::get_if<StoreBuffer>(&op.node); store && program_.buffers[store->buffer].swizzled)
      error("T015", op, "a tile is stored to a swizzled buffer");
    if (const auto* load = std::get_if<LoadBuffer>(&op.node); load && program_.buffers[load->buffer].swizzled)
      swizzled_.insert(op.results.begin(), op.results.end());
    if (const auto* load = std::get_if<LoadBuffer>(&op.node);
        load && program_.buffers[load->buffer].space == Space::shared)
      in_shared_.insert(op.results.begin(), op.results.end());
  }

  void check_op(const Op& op, Place& place) {
    check_units(op);
    for (Complaint& complaint : complaints(program_, op)) error(complaint.code, op, complaint.message);
    check_coverage(op, place);
    if (const auto* allocate = std::get_if<Allocate>(&op.node)) {
      if (!allocated_.insert(allocate->buffer).second)
        error("T011", op, "the buffer is allocated at another place too");
      place.buffers.insert(allocate->buffer);
    } else if (const std::optional<BufferId> buffer = used_buffer(op); buffer && !place.buffers.contains(*buffer)) {
      error("T011", op, "the buffer is not allocated before this op");
    }
    if (const auto* copy = std::get_if<Copy>(&op.node); copy && copy->by_engine && !engine_copies_.contains(copy))
      error("T016", op, "a copy by the engine does not open a loop with stages");
    if (const auto* store = std::get_if<Store>(&op.node); store && store->through.valid())
      check_engine_store(op, *store);
    if (const auto* loop = std::get_if<For>(&op.node)) check_for(op, *loop, place);
    if (const auto* branch = std::get_if<If>(&op.node)) check_if(op, *branch, place);
  }
  /// Asked of programs that are right otherwise.
  void check_engine_store(const Op& op, const Store& store) {
    const Buffer& buffer = program_.buffers[store.through];
    int users = 0;
    walk(program_.body, [&](const Op& other) { users += used_buffer(other) == store.through ? 1 : 0; });
    if (buffer.space != Space::shared || users != 1)
      return error("T018", op, "the engine stores from shared memory that is used for nothing else");
    if (!errors_.empty()) return;
    const bool constant = buffer.elements.is_constant() && std::ranges::all_of(buffer.axes, [](const BufferAxis& axis) {
                            return axis.capacity.is_constant();
                          });
    if (find_engine_loop(program_) == nullptr || !constant || !plan_engine_store(program_, store, buffer))
      error("T018", op, "the copy engine does not store so");
  }

  static std::optional<BufferId> used_buffer(const Op& op) {
    if (const auto* load = std::get_if<LoadBuffer>(&op.node)) return load->buffer;
    if (const auto* store = std::get_if<StoreBuffer>(&op.node)) return store->buffer;
    if (const auto* store = std::get_if<Store>(&op.node); store && store->through.valid()) return store->through;
    if (const auto* copy = std::get_if<Copy>(&op.node)) return copy->buffer;
    return std::nullopt;
  }

  void check_coverage(const Op& op, const Place& place) {
    if (!has_coordinates(op)) return;
    const auto check = [&](ValueId id) {
      for (const Axis& axis : type(id).axes) {
        const auto at = place.steps.find(axis.iter);
        const std::int64_t size = axis.size * threads_along(program_, axis.iter);
        if (at != place.steps.end() && at->second && size < *at->second)
          error("T006", op,
                fmt::format("axis {} has size {}, but the innermost step over {} is {}", name(axis.iter), size,
                            name(axis.iter), *at->second));
      }
    };
    for (ValueId id : op.results) check(id);
    if (op.results.empty()) for_each_operand(op, check);
  }

  void check_types_agree(const Op& op, std::string_view what, const std::vector<ValueId>& ids,
                         std::string_view expected_what, const std::vector<ValueId>& expected) {
    if (ids.size() != expected.size())
      return error("T009", op, fmt::format("{} {} for {} {}", ids.size(), what, expected.size(), expected_what));
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!(type(ids[i]) == type(expected[i])))
        error("T009", op, fmt::format("the types of {} and {} number {} differ", what, expected_what, i));
  }

  void check_for(const Op& op, const For& loop, const Place& place) {
    if (loop.step.is_constant() && loop.step.constant() < 1)
      error("T010", op, fmt::format("the step is {}; it must be positive", loop.step.constant()));
    check_types_agree(op, "arguments", loop.body.arguments, "initial tiles", loop.initial);
    check_types_agree(op, "yields", loop.body.yields, "initial tiles", loop.initial);
    check_types_agree(op, "results", op.results, "initial tiles", loop.initial);
    check_stages(op, loop);
    Place inside = place;
    inside.steps[loop.iter] = constant(loop.step);
    check_block(loop.body, std::move(inside));
  }

  void check_stages(const Op& op, const For& loop) {
    constexpr std::int64_t most_stages = 8;
    if (loop.stages < 1 || loop.stages > most_stages || loop.unroll < 0)
      return error("T014", op, fmt::format("{} stages, {} steps in place", loop.stages, loop.unroll));
    if (loop.stages == 1) return;
    if (program_.phase == Phase::value || program_.threads.empty() || !loop.step.is_constant())
      error("T014", op, "stages are of a placed loop of threads with a constant step");
    const std::size_t head = staged_ops(program_, loop.body);
    if (head == 0) error("T014", op, "the body does not open with copies to shared memory");
    std::size_t copies = 0;
    std::size_t by_engine = 0;
    for (std::size_t i = 0; i < head; ++i)
      if (const auto* copy = std::get_if<Copy>(&loop.body.ops[i].node)) {
        ++copies;
        if (copy->by_engine) ++by_engine, engine_copies_.insert(copy);
      }
    if (by_engine > 0 && (by_engine < copies || (errors_.empty() && !can_stage_by_engine(program_, loop))))
      error("T016", op, "the copy engine does not fill these stages");
    for (std::size_t i = head; i < loop.body.ops.size(); ++i)
      walk_op(loop.body.ops[i], [&](const Op& inner) {
        if (fills_shared(program_, inner)) error("T014", inner, "shared memory is filled behind the stages' copies");
      });
  }

  void check_if(const Op& op, const If& branch, const Place& place) {
    if (!branch.then_block.arguments.empty() || !branch.else_block.arguments.empty())
      error("T009", op, "the branches of an if take no arguments");
    check_types_agree(op, "yields", branch.then_block.yields, "results", op.results);
    check_types_agree(op, "yields of the else block", branch.else_block.yields, "results", op.results);
    check_block(branch.then_block, place);
    check_block(branch.else_block, place);
  }

  const Program& program_;
  std::vector<bool> defined_, visible_;
  std::set<BufferId> allocated_;
  std::set<ValueId> swizzled_;           ///< loads from swizzled buffers
  std::set<ValueId> in_shared_;          ///< loads from shared ones
  std::set<const Copy*> engine_copies_;  ///< of loops with stages
  Diagnostics errors_;
};

}  // namespace

Result<void> verify(const Program& program) {
  return Verifier(program).run();
}

}  // namespace tilewright::tile
