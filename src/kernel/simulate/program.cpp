// Steps from instructions.
//
// A pure op that works lane by lane is done for all threads of the warp in one call, wherever they are. That is sound
// since values are defined once: a thread that is past the op has its operands still, or has entered a new turn of the
// loop around it and will compute it again before any use; a thread that is not there yet likewise. Moves, loops and
// everything that others see are done for the threads that are there.
#include "kernel/simulate/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernel/gpu_rules.h"
#include "kernel/print.h"
#include "kernel/walk.h"

namespace tilewright::kernel::simulator {

namespace {

Behaviour find_behaviour(Opcode code) {
  for (const auto find : {access_behaviour, exchange_behaviour, order_behaviour, copy_behaviour, phase_behaviour,
                          bulk_behaviour, tensor_behaviour, cluster_behaviour, matrix_behaviour, warpgroup_behaviour})
    if (const Behaviour behaviour = find(code); behaviour.action != nullptr) return behaviour;
  return {};
}

/// The operand that is the address of an access; all accesses have one.
std::optional<std::size_t> address_operand(Opcode code) {
  switch (code) {
    case Opcode::store:
    case Opcode::scatter:
    case Opcode::store_matrix:
      return 1;
    case Opcode::load:
    case Opcode::gather:
    case Opcode::atomic:
    case Opcode::copy_async:
    case Opcode::load_matrix:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_expect:
    case Opcode::mbarrier_wait:
    case Opcode::bulk_load:
    case Opcode::bulk_store:
      return 0;
    default:
      return std::nullopt;
  }
}

class Maker {
 public:
  explicit Maker(const Kernel& kernel) {
    program_.kernel = &kernel;
    program_.decoded = interpreter::decode(kernel, warp_threads_);
  }

  Result<Program> make() {
    place_buffers();
    std::uint32_t index = 0;
    for (const Instruction& instruction : program_.decoded.instructions) {
      program_.steps.push_back(step(instruction));
      program_.steps.back().index = index++;
    }
    if (counts_copies_) bound(false, narrowest_);
    if (lacking_ != nullptr)
      return fail("K208", fmt::format("the simulator does not run {}", op_text(*program_.kernel, *lacking_)));
    return std::move(program_);
  }

 private:
  static constexpr std::size_t warp_threads_ = 32;

  Type type(ValueId value) const { return program_.kernel->values[value].type; }
  std::uint32_t size(ValueId value) const {
    return static_cast<std::uint32_t>(interpreter::lane_bytes(type(value).element) * type(value).lanes);
  }

  void place_buffers() {
    const SharedLayout layout = shared_layout(*program_.kernel);
    walk(program_.kernel->body, [&](const Op& op) {
      if (op.code != Opcode::shared) return;
      const auto begin = static_cast<std::uint64_t>(layout.offsets.at(op.results[0].index));
      program_.buffers.push_back(
          {op.results[0], begin, static_cast<std::uint64_t>(std::get<SharedBuffer>(op.attribute).bytes)});
      program_.buffer_pointers[op.results[0].index] =
          (std::uint64_t{program_.buffers.size()} << Buffer::number_shift) + Buffer::base + begin;
    });
    program_.shared_bytes = static_cast<std::uint64_t>(layout.bytes);
    program_.shared_granule = program_.global_granule = 16;
  }

  Step step(const Instruction& instruction) {
    Step step;
    step.instruction = instruction;
    if (instruction.flow != interpreter::Flow::none) {
      step.kind = StepKind::flow;
      return step;
    }
    const Op& op = *instruction.op;
    if (op.code == Opcode::bulk_load || op.code == Opcode::tensor_load) program_.has_bulk_loads = true;
    if (!op.results.empty()) step.result_bytes = size(op.results[0]);
    std::uint32_t* const sizes[] = {&step.a_bytes, &step.b_bytes, &step.c_bytes, &step.d_bytes};
    for (std::size_t i = 0; i < std::min(op.operands.size(), std::size(sizes)); ++i) *sizes[i] = size(op.operands[i]);
    const Behaviour behaviour = find_behaviour(op.code);
    if (behaviour.action != nullptr) {
      step.kind = behaviour.kind;
      step.action = behaviour.action;
      if (const auto operand = address_operand(op.code)) take_access(step, op, *operand);
      if (const auto* box = std::get_if<TensorCopy>(&op.attribute)) take_map(step, op, *box);
    } else if (const auto all = lane_handler(op.code, step.instruction.element);
               all != nullptr && !instruction.across) {
      step.instruction.run = all;
    } else if (instruction.run != nullptr) {
      step.kind = instruction.across ? StepKind::across : StepKind::each;
    } else {
      lacking_ = &op;
    }
    return step;
  }

  /// An access begins at a multiple of its alignment and covers whole pieces: both bound the granule.
  void take_access(Step& step, const Op& op, std::size_t operand) {
    step.shared = type(op.operands[operand]).element == Element::ptr_shared;
    std::uint64_t bytes = interpreter::lane_bytes(step.instruction.element);
    if (const auto* access = std::get_if<Access>(&op.attribute)) {
      const bool whole = op.code == Opcode::load || op.code == Opcode::store;
      narrowest_ = std::min(narrowest_, bytes);
      if (whole && !step.instruction.masked) bytes *= step.instruction.lanes;
      step.align = access->align;
      bound(step.shared, std::gcd(bytes, std::uint64_t{access->align}));
    } else if (const auto* copy = std::get_if<Bytes>(&op.attribute)) {
      step.align = static_cast<std::uint32_t>(copy->bytes);
      bound(true, step.align);
      bound(false, step.align);
      counts_copies_ = counts_copies_ || op.operands.size() > 2;
    } else if (std::holds_alternative<MatrixOrder>(op.attribute) || op.code == Opcode::bulk_load ||
               op.code == Opcode::bulk_store) {
      narrowest_ = std::min<std::uint64_t>(narrowest_, 2);
      step.align = 16;  // a row, or what the copy engine copies
    } else if (op.operands.size() == 1 || op.code == Opcode::mbarrier_arrive || op.code == Opcode::mbarrier_expect ||
               op.code == Opcode::mbarrier_wait) {
      step.align = 8;  // a barrier
      bound(true, step.align);
    } else {
      step.align = static_cast<std::uint32_t>(bytes);
      bound(step.shared, bytes);
    }
  }

  /// Pieces of a box begin at multiples of 16; those of global memory may end at any element of a width that the map
  /// has: see global_granule.
  void take_map(Step& step, const Op& op, const TensorCopy& box) {
    const std::vector<Parameter>& parameters = program_.kernel->parameters;
    const auto map = std::ranges::find(parameters, op.operands[*tensor_map_operand(op.code)], &Parameter::value);
    program_.map_uses.push_back(
        {static_cast<std::size_t>(map - parameters.begin()), static_cast<std::size_t>(box.rank)});
    narrowest_ = 1;
    step.align = 16;
  }

  void bound(bool shared, std::uint64_t bytes) {
    std::uint64_t& granule = shared ? program_.shared_granule : program_.global_granule;
    granule = std::gcd(granule, bytes);
  }

  Program program_;
  const Op* lacking_ = nullptr;
  bool counts_copies_ = false;   ///< some copy is of whole elements, as many as a value says
  std::uint64_t narrowest_ = 4;  ///< bytes of an element that is loaded or stored, at most
};

}  // namespace

Result<Program> make_program(const Kernel& kernel) {
  return Maker(kernel).make();
}

}  // namespace tilewright::kernel::simulator
