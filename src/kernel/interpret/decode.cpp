// The decoder.
#include "kernel/interpret/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/print.h"

namespace tilewright::kernel::interpreter {

namespace {

Handler find_handler(Opcode code, Element element) {
  if (Handler handler = value_handler(code, element)) return handler;
  if (Handler handler = conversion_handler(code)) return handler;
  if (Handler handler = memory_handler(code)) return handler;
  return is_float(element) ? float_handler(code, element) : integer_handler(code, element);
}

class Decoder {
 public:
  Decoder(const Kernel& kernel, std::size_t width)
      : kernel_(kernel), width_(width), places_(kernel.values.size(), unplaced) {}

  Decoded decode() {
    for (const Parameter& parameter : kernel_.parameters) decoded_.parameters.push_back(place(parameter.value));
    region(kernel_.body);
    decoded_.places = std::move(places_);
    return std::move(decoded_);
  }

 private:
  static constexpr std::uint32_t unplaced = ~std::uint32_t{0};

  Type type(ValueId value) const { return kernel_.values[value].type; }
  std::size_t size(ValueId value) const { return lane_bytes(type(value).element) * type(value).lanes; }

  /// Of `bytes` a thread.
  std::uint32_t reserve(std::size_t bytes) {
    const auto place = static_cast<std::uint32_t>(decoded_.frame_bytes);
    decoded_.frame_bytes += (bytes * width_ + 15) / 16 * 16;
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
    if (instruction.flow != Flow::none) instruction.run = flow_handler(instruction.flow);
    decoded_.instructions.push_back(instruction);
    return decoded_.instructions.size() - 1;
  }

  void add_move(std::uint32_t to, std::uint32_t from, std::size_t bytes) {
    if (to == from) return;
    Instruction instruction;
    instruction.flow = Flow::move;
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
    std::vector<std::byte> bytes(size(op.results[0]) * width_);
    for (std::size_t lane = 0; lane < t.lanes * width_; ++lane) {
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
    loop.flow = Flow::enter_loop;
    const std::size_t entry = add(loop);
    const std::uint32_t start = next();
    add_moves(carried, region(body));
    loop.flow = Flow::step_loop;
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
    branch.flow = Flow::jump_unless;
    const std::size_t to_else = add(branch);
    add_moves(results, region(op.regions[0]));
    branch.flow = Flow::jump;
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
    for (std::size_t i = op.results.size(); i-- > 0;) instruction.result = place(op.results[i]);
    std::uint32_t* const fields[] = {&instruction.a, &instruction.b, &instruction.c, &instruction.d};
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const std::uint32_t operand = place(op.operands[i]);
      if (i < std::size(fields)) *fields[i] = operand;
    }
    instruction.masked = !op.operands.empty() && info(op.code).attribute == OpAttribute::access &&
                         type(op.operands.back()).element == Element::i1;
    if (info(op.code).rule != OpRule::gpu || width_ == 1)
      instruction.run = find_handler(op.code, op.code == Opcode::cmp ? first.element : data.element);
    if (instruction.run == nullptr && info(op.code).rule != OpRule::gpu)
      internal_error(fmt::format("the interpreter lacks {}", op_text(kernel_, op)));
    instruction.across = width_ > 1 && is_by_lane(op, first.lanes == data.lanes);
    if (instruction.across) {
      instruction.lanes = static_cast<std::uint16_t>(instruction.lanes * width_);
      instruction.from_lanes = static_cast<std::uint16_t>(instruction.from_lanes * width_);
    }
    add(instruction);
  }

  /// Whether a lane of the result depends on the same lane of each operand alone.
  static bool is_by_lane(const Op& op, bool same_lanes) {
    switch (info(op.code).rule) {
      case OpRule::same:
      case OpRule::same_int:
      case OpRule::same_float:
      case OpRule::cmp:
      case OpRule::convert:
        return true;
      case OpRule::choose:
        return same_lanes;
      case OpRule::special:
        return op.code == Opcode::bitcast || op.code == Opcode::offset;
      case OpRule::gpu:
        return false;
    }
    internal_error("no rule");
  }

  const Kernel& kernel_;
  const std::size_t width_;
  Decoded decoded_;
  std::vector<std::uint32_t> places_;  ///< by value
};

}  // namespace

Decoded decode(const Kernel& kernel, std::size_t width) {
  return Decoder(kernel, width).decode();
}

Result<std::vector<std::int64_t>> argument_words(const Kernel& kernel, std::span<const Argument> arguments) {
  std::vector<std::int64_t> words;
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
      words.push_back(std::get<std::int64_t>(arguments[i]));
      continue;
    }
    const auto word = reinterpret_cast<std::uint64_t>(*address);
    if (word % parameter.align != 0)
      return fail("K102", fmt::format("kernel {} is given an address {} bytes past a multiple of {} for {}",
                                      kernel.name, word % parameter.align, parameter.align, name));
    words.push_back(static_cast<std::int64_t>(word));
  }
  return words;
}

}  // namespace tilewright::kernel::interpreter
