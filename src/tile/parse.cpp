// Reads the text form of tile programs: docs/ir/tile.md has the grammar, print.cpp writes it. Names are resolved as
// they come (everything is declared before it is used); what a program must keep beyond that is verify's business.
#include <fmt/format.h>

#include <limits>
#include <map>

#include "support/text_reader.h"
#include "tile/ir.h"

namespace tilewright::tile {
namespace {

constexpr std::string_view syntax_error = "X001";
constexpr std::string_view unknown_name = "T020";
constexpr std::string_view repeated_name = "T021";
constexpr int deepest_block = 64;

class ProgramParser {
 public:
  explicit ProgramParser(SourcePtr source) : reader_(std::move(source)) {}

  Result<Program> run() {
    reader_.expect("tile");
    program_.name = reader_.name("the program's name");
    if (reader_.accept("placed")) program_.phase = Phase::placed;
    while (parse_declaration()) {
    }
    if (reader_.accept("grid")) parse_grid();
    if (reader_.accept("threads")) parse_threads();
    program_.body = parse_block();
    if (reader_.ok() && !reader_.at_end()) reader_.fail_here(syntax_error, "expected an op or the end of the text");
    if (!reader_.ok()) return std::unexpected(reader_.take_errors());
    return std::move(program_);
  }

 private:
  template <class IdType>
  using Names = std::map<std::string, IdType, std::less<>>;

  // ---- names

  template <class IdType>
  void declare(Names<IdType>& names, const std::string& name, IdType id, Span span, std::string_view kind) {
    if (reader_.ok() && !names.emplace(name, id).second)
      reader_.fail_at(span, repeated_name, fmt::format("a second {} is named '{}'", kind, name));
  }
  template <class IdType>
  IdType find(const Names<IdType>& names, std::string_view kind) {
    const Span span = reader_.peek().span;
    const std::string name = reader_.name(fmt::format("the name of a {}", kind));
    if (!reader_.ok()) return {};
    const auto at = names.find(name);
    if (at != names.end()) return at->second;
    reader_.fail_at(span, unknown_name, fmt::format("no {} is named '{}'", kind, name));
    return {};
  }
  IterId iter() { return find(iters_, "iterator"); }
  TensorId tensor() { return find(tensors_, "tensor"); }
  BufferId buffer() { return find(buffers_, "buffer"); }

  ValueId define(std::string name, Span span, TileType type = {}) {
    const ValueId id = program_.values.add({std::move(type), name});
    declare(values_, name, id, span, "value");
    return id;
  }
  ValueId operand() {
    const Span span = reader_.peek().span;
    const std::string name = reader_.value("a value");
    if (!reader_.ok()) return {};
    const auto at = values_.find(name);
    if (at != values_.end()) return at->second;
    reader_.fail_at(span, unknown_name, fmt::format("no value before is named '%{}'", name));
    return {};
  }

  // ---- declarations

  bool parse_declaration() {
    const auto named = [&](std::string_view kind, auto&& parse) {
      if (!reader_.accept(kind)) return false;
      const Span span = reader_.peek().span;
      parse(reader_.name(fmt::format("the name of a {}", kind)), span);
      return reader_.ok();
    };
    return named("tensor", [&](std::string name, Span span) { parse_tensor(std::move(name), span); }) ||
           named("iter",
                 [&](std::string name, Span span) {
                   reader_.expect("extent");
                   declare(iters_, name, program_.iters.add({name, reader_.int_expr()}), span, "iterator");
                 }) ||
           named("buffer", [&](std::string name, Span span) { parse_buffer(std::move(name), span); });
  }

  StrideClass stride_class() {
    const auto is = [&](std::string_view text) { return reader_.accept(text); };
    if (is("zero")) return StrideClass::zero;
    if (is("one")) return StrideClass::one;
    reader_.expect("other");
    return StrideClass::other;
  }

  void parse_tensor(std::string name, Span span) {
    Tensor tensor;
    tensor.name = name;
    reader_.expect(":");
    tensor.dtype = reader_.dtype();
    reader_.expect("rank");
    const Span rank_span = reader_.peek().span;
    const std::int64_t rank = reader_.integer("a rank");
    if (reader_.accept("strides")) tensor.strides = reader_.bracketed("(", ")", [&] { return stride_class(); });
    if (rank != static_cast<std::int64_t>(tensor.strides.size()))
      reader_.fail_at(rank_span, syntax_error, fmt::format("rank {}, but {} strides", rank, tensor.strides.size()));
    reader_.expect("align");
    tensor.align = alignment();
    if (reader_.accept(",")) tensor.stride_align = alignment();
    tensor.output = reader_.accept("output");
    declare(tensors_, name, program_.tensors.add(std::move(tensor)), span, "tensor");
  }

  std::uint32_t alignment() {
    const Span span = reader_.peek().span;
    const std::int64_t align = reader_.integer("an alignment in bytes");
    if (align >= 1 && align <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(align);
    reader_.fail_at(span, syntax_error, fmt::format("{} is no alignment", align));
    return 1;
  }

  BufferAxis buffer_axis() {
    BufferAxis axis;
    axis.iter = iter();
    axis.capacity = reader_.int_expr();
    reader_.expect("inner");
    axis.inner = reader_.integer("the inner length");
    reader_.expect("strides");
    reader_.expect("(");
    axis.outer_stride = reader_.int_expr();
    reader_.expect(",");
    axis.inner_stride = reader_.integer("the inner stride");
    reader_.expect(")");
    return axis;
  }
  void parse_buffer(std::string name, Span span) {
    Buffer buffer;
    buffer.name = name;
    reader_.expect(":");
    buffer.dtype = reader_.dtype();
    if (reader_.accept("shared"))
      buffer.space = Space::shared;
    else
      reader_.expect("task");
    buffer.axes = reader_.bracketed("[", "]", [&] { return buffer_axis(); });
    reader_.expect("elements");
    buffer.elements = reader_.int_expr();
    buffer.swizzled = reader_.accept("swizzled");
    declare(buffers_, name, program_.buffers.add(std::move(buffer)), span, "buffer");
  }

  void parse_grid() {
    program_.grid = reader_.list([&] {
      GridAxis axis{iter(), 1};
      reader_.expect("by");
      axis.step = reader_.int_expr();
      if (reader_.accept("band")) axis.band = reader_.integer("how many points of a band");
      if (reader_.accept("cluster")) axis.cluster = reader_.integer("how many blocks of a cluster");
      return axis;
    });
  }

  void parse_threads() {
    program_.threads = reader_.list([&] {
      ThreadAxis axis{iter(), reader_.integer("how many threads"), 1};
      reader_.expect("by");
      axis.step = reader_.integer("the points between two threads");
      return axis;
    });
  }

  // ---- blocks

  Block parse_block() {
    Block block;
    if (++depth_ > deepest_block)
      reader_.fail_here(syntax_error, fmt::format("blocks nested more than {} deep", deepest_block));
    while (parse_op(block)) {
    }
    if (reader_.accept("yield")) block.yields = reader_.list([&] { return operand(); });
    --depth_;
    return block;
  }
  /// `{ … }` after the opening brace.
  Block parse_closed_block() {
    Block block = parse_block();
    reader_.expect("}");
    return block;
  }

  struct ResultName {
    std::string name;
    Span span;
  };

  bool parse_op(Block& block) {
    std::vector<ResultName> results;
    if (reader_.next_is(TokenKind::value)) {
      results = reader_.list([&] {
        const Span span = reader_.peek().span;
        return ResultName{reader_.value("a value"), span};
      });
      reader_.expect("=");
      if (!reader_.next_is("for") && !reader_.next_is("if")) return parse_pure(block, results);
    }
    if (reader_.accept("for")) return parse_for(block, results);
    if (reader_.accept("if")) return parse_if(block, results);
    return parse_effect(block);
  }

  bool add(Block& block, Op op) {
    block.ops.push_back(std::move(op));
    return reader_.ok();
  }

  // ---- pure ops

  TileType type() {
    TileType type;
    type.dtype = reader_.dtype();
    if (reader_.next_is("["))
      type.axes = reader_.bracketed("[", "]", [&] {
        Axis axis;
        axis.iter = iter();
        axis.size = reader_.integer("the axis's size");
        axis.lanes = reader_.accept("lanes");
        if (reader_.accept("chunk")) {
          axis.chunk = reader_.integer("the neighbours of a piece");
          reader_.expect("apart");
          axis.apart = reader_.integer("the points between two pieces");
        }
        return axis;
      });
    return type;
  }

  bool parse_pure(Block& block, const std::vector<ResultName>& results) {
    const Span span = reader_.peek().span;
    const std::string op_name = reader_.name("an op");
    const auto row = pure_ops().find(op_name);
    if (row == pure_ops().end()) {
      reader_.fail_at(span, syntax_error, fmt::format("'{}' is no op that has a result", op_name));
      return false;
    }
    ScalarText literal;
    Op op;
    (this->*row->second)(op, literal);
    reader_.expect(":");
    TileType result = type();
    // A literal before the ':' is of the type behind it.
    if (auto* fill = std::get_if<Fill>(&op.node)) fill->value = reader_.scalar(literal, result.dtype);
    if (auto* mask = std::get_if<Mask>(&op.node)) mask->value = reader_.scalar(literal, result.dtype);
    for (const ResultName& name : results) op.results.push_back(define(name.name, name.span, result));
    return add(block, std::move(op));
  }

  using PureParser = void (ProgramParser::*)(Op&, ScalarText&);
  static const std::map<std::string_view, PureParser>& pure_ops() {
    static const std::map<std::string_view, PureParser> table = {
        {"fill", &ProgramParser::parse_fill},
        {"iota", &ProgramParser::parse_iota},
        {"extent", &ProgramParser::parse_extent},
        {"load", &ProgramParser::parse_load},
        {"load_buffer", &ProgramParser::parse_load_buffer},
        {"map", &ProgramParser::parse_map},
        {"cast", &ProgramParser::parse_cast},
        {"mask", &ProgramParser::parse_mask},
        {"reduce", &ProgramParser::parse_reduce},
        {"contract", &ProgramParser::parse_contract},
        {"convert_layout", &ProgramParser::parse_convert_layout},
        {"reduce_across", &ProgramParser::parse_reduce_across},
    };
    return table;
  }

  void parse_fill(Op& op, ScalarText& literal) {
    literal = reader_.scalar_text("a value to fill with");
    op.node = Fill{};
  }
  void parse_iota(Op& op, ScalarText&) { op.node = Iota{iter()}; }
  void parse_extent(Op& op, ScalarText&) { op.node = ExtentValue{reader_.int_expr()}; }
  void parse_load(Op& op, ScalarText&) {
    Load load;
    load.tensor = tensor();
    load.index = slots();
    load.otherwise = otherwise(load.tensor);
    op.node = std::move(load);
  }
  void parse_load_buffer(Op& op, ScalarText&) { op.node = LoadBuffer{buffer()}; }
  void parse_map(Op& op, ScalarText&) {
    const Span span = reader_.peek().span;
    const std::string name = reader_.name("an operator");
    const std::optional<ScalarOp> scalar_op = scalar_op_from_name(name);
    if (!scalar_op) reader_.fail_at(span, syntax_error, fmt::format("'{}' is no scalar operator", name));
    op.node = Map{scalar_op.value_or(ScalarOp::add), reader_.list([&] { return operand(); })};
  }
  void parse_cast(Op& op, ScalarText&) { op.node = Cast{operand()}; }
  void parse_mask(Op& op, ScalarText& literal) {
    Mask mask;
    mask.operand = operand();
    reader_.expect("outside");
    mask.iters = reader_.bracketed("(", ")", [&] { return iter(); });
    reader_.expect("with");
    literal = reader_.scalar_text("a value to mask with");
    op.node = std::move(mask);
  }
  Monoid monoid() {
    const Span span = reader_.peek().span;
    const std::string name = reader_.name("a monoid");
    const std::optional<Monoid> found = monoid_from_name(name);
    if (!found) reader_.fail_at(span, syntax_error, fmt::format("'{}' is none of sum, product, max, min", name));
    return found.value_or(Monoid::sum);
  }
  void parse_reduce(Op& op, ScalarText&) {
    const Monoid by = monoid();
    op.node = Reduce{operand(), by};
  }
  void parse_reduce_across(Op& op, ScalarText&) {
    ReduceAcross reduce;
    reduce.monoid = monoid();
    reduce.operand = operand();
    reader_.expect("along");
    reduce.iter = iter();
    op.node = reduce;
  }
  Unit matrix_unit() {
    for (const auto& [unit, name] : matrix_unit::unit_names)
      if (reader_.accept(name)) return unit;
    reader_.expect(matrix_unit::name(Unit::warpgroup));
    return Unit::warpgroup;
  }
  void parse_contract(Op& op, ScalarText&) {
    Contract contract;
    contract.accumulator = operand();
    reader_.expect(",");
    contract.lhs = operand();
    reader_.expect(",");
    contract.rhs = operand();
    if (reader_.accept("by")) {
      contract.unit = matrix_unit();
      if (reader_.accept("from")) {
        reader_.expect("registers");
        contract.from_registers = true;
      }
    }
    op.node = contract;
  }
  void parse_convert_layout(Op& op, ScalarText&) { op.node = ConvertLayout{operand()}; }

  // ---- indices

  std::vector<Affine> slots() {
    return reader_.bracketed("[", "]", [&] { return affine(); });
  }

  /// `[-] term {("+" | "-") term}`, a term being INT, ITER or INT "*" ITER; each iterator once.
  Affine affine() {
    Affine index;
    bool negative = reader_.accept("-");
    while (true) {
      parse_term(index, negative);
      if (reader_.accept("+"))
        negative = false;
      else if (reader_.accept("-"))
        negative = true;
      else
        return index;
    }
  }
  void parse_term(Affine& index, bool negative) {
    const Span span = reader_.peek().span;
    std::int64_t coefficient = negative ? -1 : 1;
    if (reader_.next_is(TokenKind::integer)) {
      // The sign belongs to the literal, so that the lowest integer can be written.
      const ScalarText text{negative, reader_.scalar_text("an integer").token};
      coefficient = std::get<std::int64_t>(reader_.scalar(text, DType::i64).value);
      if (!reader_.accept("*")) {
        if (__builtin_add_overflow(index.constant, coefficient, &index.constant))
          reader_.fail_at(span, syntax_error, "the constant of an index leaves 64 bits");
        return;
      }
    }
    const IterId id = iter();
    if (coefficient == 0) reader_.fail_at(span, syntax_error, "an iterator times zero is no term of an index");
    for (const Affine::Term& term : index.terms)
      if (term.iter == id) reader_.fail_at(span, syntax_error, "an iterator stands twice in one slot");
    index.terms.push_back({id, coefficient});
  }

  std::optional<Scalar> otherwise(TensorId id) {
    if (!reader_.accept("otherwise")) return std::nullopt;
    const ScalarText literal = reader_.scalar_text("a value outside of the tensor");
    if (!reader_.ok()) return std::nullopt;
    return reader_.scalar(literal, program_.tensors[id].dtype);
  }

  StoreIndex store_index() {
    StoreIndex index{iter(), std::nullopt};
    if (!reader_.accept("/")) return index;
    if (reader_.accept("(")) {
      index.block = reader_.int_expr();
      reader_.expect(")");
    } else if (reader_.next_is(TokenKind::name)) {
      index.block = IntExpr::symbol(reader_.name("a symbol"));
    } else {
      index.block = reader_.integer("the points of a block");
    }
    return index;
  }

  // ---- structure and effects

  bool parse_for(Block& block, const std::vector<ResultName>& results) {
    For loop;
    loop.iter = iter();
    reader_.expect("by");
    loop.step = reader_.int_expr();
    if (reader_.accept("stages")) loop.stages = reader_.integer("the stages");
    if (reader_.accept("unroll")) loop.unroll = reader_.integer("the steps in place");
    if (reader_.accept("carry")) {
      std::vector<ResultName> arguments;
      reader_.list([&] {
        const Span span = reader_.peek().span;
        arguments.push_back({reader_.value("a carried value"), span});
        reader_.expect("=");
        loop.initial.push_back(operand());
        return 0;
      });
      for (std::size_t i = 0; reader_.ok() && i < arguments.size(); ++i)
        loop.body.arguments.push_back(define(arguments[i].name, arguments[i].span, type_of(loop.initial[i])));
    }
    reader_.expect("{");
    if (!reader_.ok()) return false;
    Block body = parse_closed_block();
    loop.body.ops = std::move(body.ops);
    loop.body.yields = std::move(body.yields);
    Op op;
    for (std::size_t i = 0; reader_.ok() && i < results.size(); ++i)
      op.results.push_back(
          define(results[i].name, results[i].span, i < loop.initial.size() ? type_of(loop.initial[i]) : TileType{}));
    op.node = std::move(loop);
    return add(block, std::move(op));
  }

  bool parse_if(Block& block, const std::vector<ResultName>& results) {
    If branch{When::first, {}, {}, {}};
    if (!reader_.accept("first")) {
      reader_.expect("last");
      branch.when = When::last;
    }
    branch.iters = reader_.bracketed("(", ")", [&] { return iter(); });
    reader_.expect("{");
    if (!reader_.ok()) return false;
    branch.then_block = parse_closed_block();
    if (reader_.accept("else")) {
      reader_.expect("{");
      if (reader_.ok()) branch.else_block = parse_closed_block();
    }
    const std::vector<ValueId>& yields = branch.then_block.yields;
    Op op;
    for (std::size_t i = 0; reader_.ok() && i < results.size(); ++i)
      op.results.push_back(
          define(results[i].name, results[i].span, i < yields.size() ? type_of(yields[i]) : TileType{}));
    op.node = std::move(branch);
    return add(block, std::move(op));
  }
  TileType type_of(ValueId id) const { return program_.values[id].type; }

  bool parse_effect(Block& block) {
    Op op;
    if (reader_.accept("allocate")) {
      op.node = Allocate{buffer()};
    } else if (reader_.accept("copy")) {
      Copy copy;
      copy.tensor = tensor();
      copy.index = slots();
      copy.otherwise = otherwise(copy.tensor);
      reader_.expect("->");
      copy.buffer = buffer();
      if (reader_.accept("by")) {
        reader_.expect("engine");
        copy.by_engine = true;
      }
      op.node = std::move(copy);
    } else if (reader_.accept("store")) {
      Store store;
      store.tensor = tensor();
      store.index = reader_.bracketed("[", "]", [&] { return store_index(); });
      reader_.expect(",");
      store.value = operand();
      store.nontemporal = reader_.accept("nontemporal");
      if (reader_.accept("through")) store.through = buffer();
      op.node = std::move(store);
    } else if (reader_.accept("store_buffer")) {
      StoreBuffer store;
      store.buffer = buffer();
      reader_.expect(",");
      store.value = operand();
      op.node = store;
    } else if (reader_.accept("prefetch")) {
      Prefetch prefetch;
      prefetch.tensor = tensor();
      prefetch.index = slots();
      reader_.expect(":");
      prefetch.type = type();
      op.node = std::move(prefetch);
    } else if (reader_.accept("barrier")) {
      op.node = Barrier{};
    } else {
      return false;
    }
    return add(block, std::move(op));
  }

  TextReader reader_;
  Program program_;
  Names<IterId> iters_;
  Names<TensorId> tensors_;
  Names<BufferId> buffers_;
  Names<ValueId> values_;
  int depth_ = 0;
};

}  // namespace

Result<Program> parse_program(SourcePtr source) {
  return ProgramParser(std::move(source)).run();
}

}  // namespace tilewright::tile
