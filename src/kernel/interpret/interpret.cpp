// The interpreter: decodes a kernel into a flat program and runs it.
//
// A loop becomes an entry, its body and a step:
//
//   enter  i = begin; carried = initial; to `exit` unless i < end
//   body   …
//   step   carried = yielded; i += step; to `body` if i < end
//   exit
//
// A loop's results share the places of its carried values: both are never visible at once.
#include "kernel/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/machine.h"
#include "kernel/print.h"

namespace tilewright::kernel {

namespace interpreter {

namespace {

// ---- control: a, b, c are begin, end, step; result is the loop's variable

void enter_loop(Machine& m, const Instruction& i) {
  if (m.integer(i.c) <= 0) return m.fail(i, "K105", fmt::format("the loop's step is {}", m.integer(i.c)));
  m.integer(i.result) = m.integer(i.a);
  if (m.integer(i.a) >= m.integer(i.b)) m.jump(i.target);
}

/// A variable that steps past the largest i64 has passed the end.
void step_loop(Machine& m, const Instruction& i) {
  std::int64_t next = 0;
  if (__builtin_add_overflow(m.integer(i.result), m.integer(i.c), &next)) return;
  m.integer(i.result) = next;
  if (next < m.integer(i.b)) m.jump(i.target);
}

void jump(Machine& m, const Instruction& i) {
  m.jump(i.target);
}

void jump_unless(Machine& m, const Instruction& i) {
  if (*m.lanes<std::uint8_t>(i.a) == 0) m.jump(i.target);
}

/// `b` holds the size in bytes.
void move(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), i.b);
}

Handler find_handler(Opcode code, Element element) {
  if (Handler handler = value_handler(code, element)) return handler;
  if (Handler handler = conversion_handler(code)) return handler;
  if (Handler handler = memory_handler(code)) return handler;
  return is_float(element) ? float_handler(code, element) : integer_handler(code, element);
}

}  // namespace

/// What is the same for every run: instructions, the frame's size, constants and locals.
struct Decoded {
  struct Constant {
    std::uint32_t place;
    std::vector<std::byte> bytes;
  };
  struct Local {
    std::uint32_t place;  ///< of the pointer
    std::size_t bytes;
  };
  std::vector<Instruction> instructions;
  std::vector<Constant> constants;
  std::vector<Local> locals;
  std::vector<std::uint32_t> parameters;
  std::size_t frame_bytes = 0;
};

class Decoder {
 public:
  explicit Decoder(const Kernel& kernel) : kernel_(kernel), places_(kernel.values.size(), unplaced) {}

  Decoded decode() {
    for (const Parameter& parameter : kernel_.parameters) decoded_.parameters.push_back(place(parameter.value));
    region(kernel_.body);
    return std::move(decoded_);
  }

 private:
  static constexpr std::uint32_t unplaced = ~std::uint32_t{0};

  Type type(ValueId value) const { return kernel_.values[value].type; }
  std::size_t size(ValueId value) const { return lane_bytes(type(value).element) * type(value).lanes; }

  std::uint32_t reserve(std::size_t bytes) {
    const auto place = static_cast<std::uint32_t>(decoded_.frame_bytes);
    decoded_.frame_bytes += (bytes + 15) / 16 * 16;
    return place;
  }

  std::uint32_t place(ValueId value) {
    std::uint32_t& place = places_[value.index];
    if (place == unplaced) place = reserve(size(value));
    return place;
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(decoded_.instructions.size()); }

  /// Gives the instruction's index, for a target that is not known yet.
  std::size_t add(Instruction instruction) {
    decoded_.instructions.push_back(instruction);
    return decoded_.instructions.size() - 1;
  }

  void add_move(std::uint32_t to, std::uint32_t from, std::size_t bytes) {
    if (to == from) return;
    Instruction instruction;
    instruction.run = move;
    instruction.result = to;
    instruction.a = from;
    instruction.b = static_cast<std::uint32_t>(bytes);
    add(instruction);
  }

  /// Moves all values at once: a yielded value may be another carried value, so where any is, all go through places of
  /// their own.
  void add_moves(const std::vector<std::uint32_t>& to, const std::vector<ValueId>& from) {
    const auto overlaps = [&](ValueId value) { return std::ranges::find(to, place(value)) != to.end(); };
    const bool through = std::ranges::any_of(from, overlaps);
    std::vector<std::uint32_t> sources;
    for (ValueId value : from) {
      sources.push_back(through ? reserve(size(value)) : place(value));
      add_move(sources.back(), place(value), size(value));
    }
    for (std::size_t i = 0; i < from.size(); ++i) add_move(to[i], sources[i], size(from[i]));
  }

  /// Decodes the ops but the yield; gives what it yields.
  const std::vector<ValueId>& region(const Region& region) {
    for (const Op& op : region.ops) {
      switch (op.code) {
        case Opcode::constant:
          constant(op);
          break;
        case Opcode::local:
          decoded_.locals.push_back(
              {place(op.results[0]), static_cast<std::size_t>(std::get<Bytes>(op.attribute).bytes)});
          break;
        case Opcode::for_loop:
          for_loop(op);
          break;
        case Opcode::if_then:
          if_then(op);
          break;
        case Opcode::yield:
          break;
        default:
          plain(op);
      }
    }
    return region.ops.back().operands;
  }

  void constant(const Op& op) {
    const Type t = type(op.results[0]);
    const Scalar& number = std::get<Scalar>(op.attribute);
    const std::size_t lane_size = lane_bytes(t.element);
    std::vector<std::byte> bytes(size(op.results[0]));
    for (std::size_t lane = 0; lane < t.lanes; ++lane) {
      std::byte* to = bytes.data() + lane * lane_size;
      if (number.is_float())
        store_scalar(float_dtype(t.element), number, to);
      else
        write_int(t.element, number.as_int(), to);
    }
    decoded_.constants.push_back({place(op.results[0]), std::move(bytes)});
  }

  void for_loop(const Op& op) {
    const Region& body = op.regions[0];
    const std::vector<ValueId> initial(op.operands.begin() + 3, op.operands.end());
    std::vector<std::uint32_t> carried;
    for (std::size_t i = 1; i < body.arguments.size(); ++i) carried.push_back(place(body.arguments[i]));
    for (std::size_t i = 0; i < carried.size(); ++i) places_[op.results[i].index] = carried[i];
    add_moves(carried, initial);

    Instruction loop;
    loop.op = &op;
    loop.result = place(body.arguments[0]);
    loop.a = place(op.operands[0]);
    loop.b = place(op.operands[1]);
    loop.c = place(op.operands[2]);
    loop.run = enter_loop;
    const std::size_t entry = add(loop);
    const std::uint32_t start = next();
    add_moves(carried, region(body));
    loop.run = step_loop;
    loop.target = start;
    add(loop);
    decoded_.instructions[entry].target = next();
  }

  void if_then(const Op& op) {
    std::vector<std::uint32_t> results;
    for (ValueId result : op.results) results.push_back(place(result));
    Instruction branch;
    branch.op = &op;
    branch.a = place(op.operands[0]);
    branch.run = jump_unless;
    const std::size_t to_else = add(branch);
    add_moves(results, region(op.regions[0]));
    branch.run = jump;
    const std::size_t to_end = add(branch);
    decoded_.instructions[to_else].target = next();
    add_moves(results, region(op.regions[1]));
    decoded_.instructions[to_end].target = next();
  }

  void plain(const Op& op) {
    const bool stores = op.code == Opcode::store || op.code == Opcode::scatter;
    const Type first = op.operands.empty() ? Type{} : type(op.operands[0]);
    const Type data = stores || op.results.empty() ? first : type(op.results[0]);
    Instruction instruction;
    instruction.op = &op;
    instruction.element = data.element;
    instruction.lanes = data.lanes;
    instruction.from = first.element;
    instruction.from_lanes = first.lanes;
    if (!op.results.empty()) instruction.result = place(op.results[0]);
    std::uint32_t* const fields[] = {&instruction.a, &instruction.b, &instruction.c, &instruction.d};
    for (std::size_t i = 0; i < op.operands.size(); ++i) *fields[i] = place(op.operands[i]);
    instruction.masked = !op.operands.empty() && info(op.code).attribute == OpAttribute::access &&
                         type(op.operands.back()).element == Element::i1;
    instruction.run = find_handler(op.code, op.code == Opcode::cmp ? first.element : data.element);
    if (instruction.run == nullptr) internal_error(fmt::format("the interpreter lacks {}", op_text(kernel_, op)));
    add(instruction);
  }

  const Kernel& kernel_;
  Decoded decoded_;
  std::vector<std::uint32_t> places_;  ///< by value
};

}  // namespace interpreter

using interpreter::Machine;

struct Interpreter::Program {
  const Kernel* kernel;
  interpreter::Decoded decoded;
};

namespace {

/// A local's bytes, aligned, with a note of those written.
struct LocalMemory {
  std::vector<std::byte> storage;
  std::vector<bool> written;
  std::uint64_t address = 0;
};

constexpr std::uint64_t local_align = 64;

LocalMemory make_local(std::size_t bytes) {
  LocalMemory local{std::vector<std::byte>(bytes + local_align), std::vector<bool>(bytes), 0};
  const auto begin = reinterpret_cast<std::uint64_t>(local.storage.data());
  local.address = (begin + local_align - 1) / local_align * local_align;
  return local;
}

Result<void> bind_arguments(const Kernel& kernel, const interpreter::Decoded& decoded,
                            std::span<const Argument> arguments, Machine& machine) {
  if (arguments.size() != kernel.parameters.size())
    return fail("K106", fmt::format("kernel {} is called with {} arguments and has {} parameters", kernel.name,
                                    arguments.size(), kernel.parameters.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    const Element element = kernel.values[parameter.value].type.element;
    const std::string name = value_text(kernel, parameter.value);
    const auto* address = std::get_if<std::byte*>(&arguments[i]);
    if ((address != nullptr) != (element == Element::ptr))
      return fail("K106", fmt::format("kernel {} is given {} for {}: {}", kernel.name,
                                      address != nullptr ? "a pointer" : "an integer", name,
                                      tilewright::kernel::name(element)));
    if (address == nullptr) {
      interpreter::write_int(element, std::get<std::int64_t>(arguments[i]), machine.at(decoded.parameters[i]));
      continue;
    }
    const auto word = reinterpret_cast<std::uint64_t>(*address);
    if (word % parameter.align != 0)
      return fail("K102", fmt::format("kernel {} is given an address {} bytes past a multiple of {} for {}",
                                      kernel.name, word % parameter.align, parameter.align, name));
    machine.integer(decoded.parameters[i]) = static_cast<std::int64_t>(word);
  }
  return {};
}

}  // namespace

Result<Interpreter> Interpreter::make(const Kernel& kernel) {
  if (auto legal = verify(kernel); !legal) return std::unexpected(legal.error());
  if (kernel.block)
    return fail("K107", fmt::format("kernel {} is a GPU's, and the interpreter runs one thread alone", kernel.name),
                "a kernel of the host");
  return Interpreter(std::make_shared<const Program>(Program{&kernel, interpreter::Decoder(kernel).decode()}));
}

Result<void> Interpreter::run(std::span<const Argument> arguments, std::span<const MemoryRange> memory) const {
  const Kernel& kernel = *program_->kernel;
  const interpreter::Decoded& decoded = program_->decoded;
  Machine machine(decoded.frame_bytes);
  if (auto bound = bind_arguments(kernel, decoded, arguments, machine); !bound) return bound;
  for (const auto& constant : decoded.constants) std::ranges::copy(constant.bytes, machine.at(constant.place));
  for (const MemoryRange& range : memory)
    machine.add_memory({reinterpret_cast<std::uint64_t>(range.data), static_cast<std::uint64_t>(range.bytes),
                        range.writable, nullptr});
  std::vector<LocalMemory> locals;
  locals.reserve(decoded.locals.size());  // their notes are pointed to
  for (const auto& local : decoded.locals) {
    LocalMemory& made = locals.emplace_back(make_local(local.bytes));
    machine.integer(local.place) = static_cast<std::int64_t>(made.address);
    machine.add_memory({made.address, local.bytes, true, &made.written});
  }
  machine.run(decoded.instructions);
  if (!machine.failed()) return {};
  const Machine::Failure& failure = machine.failure();
  return fail(failure.code,
              fmt::format("kernel {}: {}, in: {}", kernel.name, failure.message, op_text(kernel, *failure.op)));
}

Result<void> interpret(const Kernel& kernel, std::span<const Argument> arguments, std::span<const MemoryRange> memory) {
  auto interpreter = Interpreter::make(kernel);
  if (!interpreter) return std::unexpected(interpreter.error());
  return interpreter->run(arguments, memory);
}

}  // namespace tilewright::kernel
