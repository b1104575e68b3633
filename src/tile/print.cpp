// The text form of tile programs. docs/ir/tile.md has the grammar; parse.cpp reads it back.
#include <fmt/format.h>

#include <map>
#include <set>

#include "support/text.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

std::string_view name(StrideClass stride) {
  switch (stride) {
    case StrideClass::zero:
      return "zero";
    case StrideClass::one:
      return "one";
    case StrideClass::other:
      return "other";
  }
  internal_error("an unknown stride class");
}

template <class Range, class Text>
std::string joined(const Range& range, Text&& text) {
  std::string all;
  for (const auto& item : range) {
    if (!all.empty()) all += ", ";
    all += text(item);
  }
  return all;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), names_(program.values.size()) {}

  std::string run() {
    writer_.open(fmt::format("tile {}{}", program_.name, program_.phase == Phase::placed ? " placed" : ""));
    for (const Tensor& tensor : program_.tensors) writer_.line(tensor_line(tensor));
    for (const Iterator& iter : program_.iters)
      writer_.line(fmt::format("iter {} extent {}", iter.name, to_text(iter.extent)));
    for (const Buffer& buffer : program_.buffers) writer_.line(buffer_line(buffer));
    if (!program_.grid.empty()) {
      const auto axis = [&](const GridAxis& grid) {
        std::string text = fmt::format("{} by {}", iter_name(grid.iter), to_text(grid.step));
        if (grid.band > 1) text += fmt::format(" band {}", grid.band);
        if (grid.cluster > 1) text += fmt::format(" cluster {}", grid.cluster);
        return text;
      };
      writer_.line("grid " + joined(program_.grid, axis));
    }
    if (!program_.threads.empty()) {
      const auto axis = [&](const ThreadAxis& threads) {
        return fmt::format("{} {} by {}", iter_name(threads.iter), threads.count, threads.step);
      };
      writer_.line("threads " + joined(program_.threads, axis));
    }
    print(program_.body);
    writer_.close("");
    return writer_.take();
  }

  /// `run` first, so that the names are those of the whole text.
  std::string op_line(const Op& op) {
    print(op);
    const std::string text = writer_.take();
    return text.substr(0, text.find('\n'));
  }

 private:
  // Ids outside their table print as "?": what a verifier's message about a broken program shows.
  std::string iter_name(IterId id) const { return program_.iters.contains(id) ? program_.iters[id].name : "?"; }
  std::string tensor_name(TensorId id) const { return program_.tensors.contains(id) ? program_.tensors[id].name : "?"; }
  std::string buffer_name(BufferId id) const { return program_.buffers.contains(id) ? program_.buffers[id].name : "?"; }

  /// Unique in the text: the value's own name, with a number behind it where an earlier value printed has that name.
  std::string value_name(ValueId id) {
    if (!program_.values.contains(id)) return "%?";
    std::string& chosen = names_[id.index];
    if (!chosen.empty()) return chosen;
    const std::string& wanted = program_.values[id].name;
    if (!wanted.empty() && taken_.insert(wanted).second) return chosen = "%" + wanted;
    const std::string stem = wanted.empty() ? "" : wanted + ".";
    int& number = next_number_[stem];
    while (!taken_.insert(fmt::format("{}{}", stem, number)).second) ++number;
    return chosen = fmt::format("%{}{}", stem, number);
  }
  std::string value_names(const std::vector<ValueId>& ids) {
    return joined(ids, [&](ValueId id) { return value_name(id); });
  }

  static std::string tensor_line(const Tensor& tensor) {
    std::string line =
        fmt::format("tensor {} : {} rank {}", tensor.name, tilewright::name(tensor.dtype), tensor.strides.size());
    if (!tensor.strides.empty())
      line += fmt::format(" strides ({})", joined(tensor.strides, [](StrideClass c) { return std::string(name(c)); }));
    line += fmt::format(" align {}", tensor.align);
    if (tensor.stride_align != 1) line += fmt::format(", {}", tensor.stride_align);
    return line + (tensor.output ? " output" : "");
  }

  std::string buffer_line(const Buffer& buffer) const {
    const auto axis = [&](const BufferAxis& a) {
      return fmt::format("{} {} inner {} strides ({}, {})", iter_name(a.iter), to_text(a.capacity), a.inner,
                         to_text(a.outer_stride), a.inner_stride);
    };
    return fmt::format("buffer {} : {} {} [{}] elements {}{}", buffer.name, tilewright::name(buffer.dtype),
                       buffer.space == Space::shared ? "shared" : "task", joined(buffer.axes, axis),
                       to_text(buffer.elements), buffer.swizzled ? " swizzled" : "");
  }

  std::string affine(const Affine& index) const {
    std::string text;
    for (const Affine::Term& term : index.terms) {
      const bool negative = term.coefficient < 0;
      text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      // 0 - c in unsigned arithmetic is right for the lowest coefficient too.
      const std::uint64_t size =
          negative ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
      if (size != 1) text += fmt::format("{}*", size);
      text += iter_name(term.iter);
    }
    if (text.empty()) return fmt::format("{}", index.constant);
    if (index.constant > 0) text += fmt::format(" + {}", index.constant);
    if (index.constant < 0) text += fmt::format(" - {}", 0 - static_cast<std::uint64_t>(index.constant));
    return text;
  }
  std::string access(TensorId tensor, const std::vector<Affine>& index) const {
    return fmt::format("{}[{}]", tensor_name(tensor), joined(index, [&](const Affine& slot) { return affine(slot); }));
  }
  std::string otherwise(const std::optional<Scalar>& value, DType dtype) const {
    return value ? fmt::format(" otherwise {}", to_text(*value, dtype)) : "";
  }
  DType dtype_of(TensorId id) const { return program_.tensors.contains(id) ? program_.tensors[id].dtype : DType::f32; }
  TileType type_of(ValueId id) const { return program_.values.contains(id) ? program_.values[id].type : TileType{}; }

  std::string type(const TileType& type) const {
    std::string text(tilewright::name(type.dtype));
    if (type.axes.empty()) return text;
    return text + fmt::format(" [{}]", joined(type.axes, [&](const Axis& axis) {
                                const std::string chunks =
                                    axis.chunk == 0 ? "" : fmt::format(" chunk {} apart {}", axis.chunk, axis.apart);
                                return fmt::format("{} {}{}{}", iter_name(axis.iter), axis.size,
                                                   axis.lanes ? " lanes" : "", chunks);
                              }));
  }
  std::string iter_names(const std::vector<IterId>& iters) const {
    return joined(iters, [&](IterId id) { return iter_name(id); });
  }

  void print(const Block& block) {
    for (const Op& op : block.ops) print(op);
    if (!block.yields.empty()) writer_.line("yield " + value_names(block.yields));
  }

  /// `%a, %b = `, or nothing without results.
  std::string results(const Op& op) { return op.results.empty() ? "" : value_names(op.results) + " = "; }

  void pure(const Op& op, const std::string& text) {
    const TileType result = op.results.empty() ? TileType{} : type_of(op.results.front());
    writer_.line(fmt::format("{}{} : {}", results(op), text, type(result)));
  }
  DType result_dtype(const Op& op) const { return op.results.empty() ? DType::f32 : type_of(op.results.front()).dtype; }

  void print(const Op& op) {
    std::visit(Overloaded{
                   [&](const Fill& n) { pure(op, "fill " + to_text(n.value, result_dtype(op))); },
                   [&](const Iota& n) { pure(op, "iota " + iter_name(n.iter)); },
                   [&](const ExtentValue& n) { pure(op, "extent " + to_text(n.value)); },
                   [&](const Load& n) {
                     pure(op, "load " + access(n.tensor, n.index) + otherwise(n.otherwise, dtype_of(n.tensor)));
                   },
                   [&](const LoadBuffer& n) { pure(op, "load_buffer " + buffer_name(n.buffer)); },
                   [&](const Map& n) { pure(op, fmt::format("map {} {}", info(n.op).name, value_names(n.operands))); },
                   [&](const Cast& n) { pure(op, "cast " + value_name(n.operand)); },
                   [&](const Mask& n) {
                     pure(op, fmt::format("mask {} outside ({}) with {}", value_name(n.operand), iter_names(n.iters),
                                          to_text(n.value, result_dtype(op))));
                   },
                   [&](const Reduce& n) {
                     pure(op, fmt::format("reduce {} {}", tilewright::name(n.monoid), value_name(n.operand)));
                   },
                   [&](const Contract& n) {
                     pure(op, "contract " + value_names({n.accumulator, n.lhs, n.rhs}) +
                                  (n.unit == Unit::scalar ? "" : fmt::format(" by {}", matrix_unit::name(n.unit))) +
                                  (n.from_registers ? " from registers" : ""));
                   },
                   [&](const ConvertLayout& n) { pure(op, "convert_layout " + value_name(n.operand)); },
                   [&](const ReduceAcross& n) {
                     pure(op, fmt::format("reduce_across {} {} along {}", tilewright::name(n.monoid),
                                          value_name(n.operand), iter_name(n.iter)));
                   },
                   [&](const For& n) { print_for(op, n); },
                   [&](const If& n) { print_if(op, n); },
                   [&](const Allocate& n) { writer_.line("allocate " + buffer_name(n.buffer)); },
                   [&](const Copy& n) {
                     writer_.line(fmt::format("copy {}{} -> {}{}", access(n.tensor, n.index),
                                              otherwise(n.otherwise, dtype_of(n.tensor)), buffer_name(n.buffer),
                                              n.by_engine ? " by engine" : ""));
                   },
                   [&](const Store& n) { print_store(n); },
                   [&](const StoreBuffer& n) {
                     writer_.line(fmt::format("store_buffer {}, {}", buffer_name(n.buffer), value_name(n.value)));
                   },
                   [&](const Prefetch& n) {
                     writer_.line(fmt::format("prefetch {} : {}", access(n.tensor, n.index), type(n.type)));
                   },
                   [&](const Barrier&) { writer_.line("barrier"); },
               },
               op.node);
  }

  void print_for(const Op& op, const For& loop) {
    std::string carried;
    for (std::size_t i = 0; i < loop.initial.size(); ++i) {
      const ValueId argument = i < loop.body.arguments.size() ? loop.body.arguments[i] : ValueId{};
      const std::string initial = value_name(loop.initial[i]);
      carried += fmt::format("{}{} = {}", i == 0 ? " carry " : ", ", value_name(argument), initial);
    }
    const std::string stages = loop.stages == 1 ? "" : fmt::format(" stages {}", loop.stages);
    const std::string unroll = loop.unroll == 0 ? "" : fmt::format(" unroll {}", loop.unroll);
    writer_.open(fmt::format("{}for {} by {}{}{}{} {{", results(op), iter_name(loop.iter), to_text(loop.step), stages,
                             unroll, carried));
    print(loop.body);
    writer_.close("}");
  }

  void print_if(const Op& op, const If& branch) {
    writer_.open(fmt::format("{}if {} ({}) {{", results(op), branch.when == When::first ? "first" : "last",
                             iter_names(branch.iters)));
    print(branch.then_block);
    if (!branch.else_block.ops.empty() || !branch.else_block.yields.empty()) {
      writer_.close("");
      writer_.open("} else {");
      print(branch.else_block);
    }
    writer_.close("}");
  }

  std::string store_index(const StoreIndex& index) const {
    if (!index.block) return iter_name(index.iter);
    const bool atom = index.block->is_constant() || index.block->op() == IntOp::symbol;
    const std::string points = to_text(*index.block);
    return fmt::format("{} / {}", iter_name(index.iter), atom ? points : fmt::format("({})", points));
  }
  void print_store(const Store& store) {
    writer_.line(fmt::format("store {}[{}], {}{}{}", tensor_name(store.tensor),
                             joined(store.index, [&](const StoreIndex& index) { return store_index(index); }),
                             value_name(store.value), store.nontemporal ? " nontemporal" : "",
                             store.through.valid() ? " through " + buffer_name(store.through) : ""));
  }

  const Program& program_;
  TextWriter writer_;
  std::vector<std::string> names_;  ///< by ValueId, once printed
  std::set<std::string> taken_;
  std::map<std::string, int> next_number_;
};

}  // namespace

std::string to_text(const Program& program) {
  return Printer(program).run();
}

std::string to_text(const Program& program, const Op& op) {
  Printer printer(program);
  printer.run();
  return printer.op_line(op);
}

}  // namespace tilewright::tile
