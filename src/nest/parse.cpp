// The text form of a nest, read back: see print.cpp and docs/ir/nest.md. A line's first word selects its reader from a
// table. What is read is well formed in its names; whether it is a legal nest is for verify to say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "nest/ir.h"
#include "support/text.h"

namespace tilewright::nest {
namespace {

constexpr std::string_view unknown_name = "N060";
constexpr std::string_view twice_or_missing = "N061";

class NestParser {
 public:
  explicit NestParser(SourcePtr source) : cursor_(std::move(source)) {}

  Result<Nest> run() {
    if (parse_header() && parse_lines() && finish()) return std::move(nest_);
    return std::unexpected(std::move(errors_));
  }

 private:
  struct Line {
    std::string_view word;
    bool (NestParser::*read)();
  };
  static const std::array<Line, 16> lines;

  // Every reader returns false once an error is kept.

  template <class T>
  bool keep(Result<T> result, T& value) {
    if (!result) {
      errors_ = std::move(result.error());
      return false;
    }
    value = std::move(*result);
    return true;
  }
  bool error(std::string_view code, std::string message, std::string remedy = {}) {
    errors_ = std::move(cursor_.error_here(code, std::move(message), std::move(remedy)).error());
    return false;
  }
  bool expect(std::string_view text) {
    Token token;
    return keep(cursor_.expect(text), token);
  }
  bool name_of(std::string_view what, std::string& name) { return keep(cursor_.expect_name(what), name); }
  bool count(std::string_view what, std::int64_t& value) { return keep(cursor_.expect_int(what), value); }

  bool dtype(DType& type) {
    const auto found = dtype_from_name(cursor_.peek().text);
    if (!found) return error(unknown_name, fmt::format("'{}' is no element type", cursor_.peek().text));
    type = *found;
    cursor_.take();
    return true;
  }

  template <class IdType, class Row>
  bool reference(std::string_view kind, const Table<IdType, Row>& table, IdType& id) {
    for (std::uint32_t index = 0; index < table.size(); ++index)
      if (cursor_.next_is(table[IdType{index}].name)) {
        id = IdType{index};
        cursor_.take();
        return true;
      }
    return error(unknown_name, fmt::format("there is no {} '{}' so far", kind, cursor_.peek().text));
  }
  bool iterator(IterId& id) { return reference("iterator", nest_.iterators, id); }

  bool read_value(ReadId& id) {
    const std::string_view text = cursor_.peek().text;
    std::uint32_t index = 0;
    if (cursor_.peek().kind == TokenKind::value && text.starts_with("%r")) {
      const auto status = std::from_chars(text.data() + 2, text.data() + text.size(), index);
      if (status.ec == std::errc() && status.ptr == text.data() + text.size() && index < nest_.reads.size()) {
        id = ReadId{index};
        cursor_.take();
        return true;
      }
    }
    return error(unknown_name, fmt::format("there is no read '{}' so far", text), "reads are %r0, %r1, …");
  }

  bool scalar(DType type, Scalar& value) {
    if (is_boolean(type)) {
      const bool is_true = cursor_.accept("true");
      if (!is_true && !expect("false")) return false;
      value = Scalar::of(std::int64_t{is_true});
      return true;
    }
    if (is_floating(type)) {
      double number = 0;
      if (!keep(cursor_.expect_number("a number"), number)) return false;
      value = Scalar::of(number);
      return true;
    }
    std::int64_t number = 0;
    if (!count("an integer", number)) return false;
    value = Scalar::of(number);
    return true;
  }

  /// `open item, item close`, possibly without items.
  template <class Item>
  bool list(std::string_view open, std::string_view close, Item item) {
    if (!expect(open)) return false;
    if (cursor_.accept(close)) return true;
    do {
      if (!item()) return false;
    } while (cursor_.accept(","));
    return expect(close);
  }

  bool parse_header() {
    return expect("nest") && name_of("the target's name", nest_.name) &&
           list("[", "]",
                [&] {
                  std::string axis;
                  axes_.emplace_back(axis, cursor_.peek().span);
                  return name_of("an iterator", axes_.back().first);
                }) &&
           expect(":") && dtype(nest_.output);
  }

  bool parse_lines() {
    while (!cursor_.at_end()) {
      auto line = std::ranges::find_if(lines, [&](const Line& one) { return cursor_.next_is(one.word); });
      if (line == lines.end()) {
        std::string words;
        for (const Line& one : lines) words += fmt::format("{}{}", words.empty() ? "" : ", ", one.word);
        return error("X001", fmt::format("expected a line of a nest, found '{}'", cursor_.peek().text),
                     fmt::format("lines start with {}", words));
      }
      cursor_.take();
      if (!(this->*line->read)()) return false;
    }
    return true;
  }

  bool finish() {
    for (const auto& [axis, span] : axes_) {
      std::uint32_t index = 0;
      while (index < nest_.iterators.size() && nest_.iterators[IterId{index}].name != axis) ++index;
      if (index == nest_.iterators.size()) {
        errors_ = std::move(
            fail(unknown_name, fmt::format("there is no iterator '{}'", axis), {}, cursor_.source(), span).error());
        return false;
      }
      nest_.output_index.push_back(IterId{index});
    }
    if (!nest_.value.valid()) return error(twice_or_missing, "the nest has no 'reduce' or 'value' line");
    if (!nest_.result.valid()) return error(twice_or_missing, "the nest has no 'then' line");
    return true;
  }

  bool parse_precision() {
    const auto precision = precision_from_name(cursor_.peek().text);
    if (!precision)
      return error(unknown_name, fmt::format("'{}' is no precision", cursor_.peek().text), "exact, tf32, tf32x3");
    nest_.precision = *precision;
    cursor_.take();
    return true;
  }

  bool parse_tensor() {
    Tensor tensor;
    std::int64_t rank = 0;
    if (!name_of("a tensor's name", tensor.name) || !expect(":") || !dtype(tensor.dtype) || !expect("rank") ||
        !count("a rank", rank))
      return false;
    if (rank < 0 || rank > most_axes)
      return error(unknown_name, fmt::format("rank {}", rank), fmt::format("ranks are 0 to {}", most_axes));
    tensor.rank = static_cast<int>(rank);
    nest_.tensors.add(std::move(tensor));
    return true;
  }

  bool parse_iterator() {
    Iterator one;
    if (!name_of("an iterator's name", one.name)) return false;
    one.role = cursor_.next_is("reduction") ? IteratorRole::reduction : IteratorRole::output;
    if (!cursor_.accept("reduction") && !expect("output")) return false;
    if (!expect("extent") || !keep(parse_int_expr(cursor_), one.extent)) return false;
    nest_.iterators.add(std::move(one));
    return true;
  }

  bool parse_read() {
    Read read;
    const std::string expected = fmt::format("r{}", nest_.reads.size());
    std::string name;
    if (!keep(cursor_.expect_value("a read's number"), name)) return false;
    if (name != expected) return error(twice_or_missing, fmt::format("expected %{}, found %{}", expected, name));
    if (!expect("=") || !reference("tensor", nest_.tensors, read.tensor)) return false;
    if (!list("[", "]", [&] { return parse_affine(read.index.emplace_back()); })) return false;
    if (cursor_.accept("else") && !scalar(nest_.tensors[read.tensor].dtype, read.otherwise.emplace())) return false;
    nest_.reads.add(std::move(read));
    return true;
  }

  bool parse_affine(Affine& index) {
    bool negative = cursor_.accept("-");
    do {
      if (!parse_term(index, negative)) return false;
      negative = cursor_.next_is("-");
    } while (cursor_.accept("+") || cursor_.accept("-"));
    return true;
  }

  /// `n`, `i` or `n*i`, with its sign. Unsigned on the way: 2⁶³ exists only with its sign.
  bool parse_term(Affine& index, bool negative) {
    std::uint64_t size = 1;
    const Token token = cursor_.peek();
    const bool numbered = token.kind == TokenKind::integer;
    if (numbered) {
      const auto status = std::from_chars(token.text.data(), token.text.data() + token.text.size(), size);
      if (status.ec != std::errc()) return error("X002", fmt::format("'{}' does not fit 64 bits", token.text));
      cursor_.take();
    }
    const std::int64_t value = static_cast<std::int64_t>(negative ? 0 - size : size);
    if (numbered && !cursor_.accept("*")) {
      index.constant = value;
      return true;
    }
    IterId iter;
    if (!iterator(iter)) return false;
    index.terms.push_back({iter, value});
    return true;
  }

  bool parse_reduce() {
    const auto monoid = monoid_from_name(cursor_.peek().text);
    if (!monoid)
      return error(unknown_name, fmt::format("'{}' is no reduction", cursor_.peek().text), "sum, product, max, min");
    cursor_.take();
    nest_.reduction = *monoid;
    return expect("in") && dtype(nest_.accumulate) && expect("from") && scalar(nest_.accumulate, nest_.identity) &&
           parse_root(nest_.value);
  }
  bool parse_value() { return expect("in") && dtype(nest_.accumulate) && parse_root(nest_.value); }
  bool parse_then() { return parse_root(nest_.result); }

  bool parse_root(ExprId& root) {
    if (root.valid()) return error(twice_or_missing, "the nest has this line already");
    return parse_expr(root);
  }

  /// An operator or cast whose operands are being read.
  struct Open {
    std::optional<ScalarOp> op;  ///< nullopt: a cast
    DType type = DType::f32;
    std::vector<ExprId> operands = {};
  };

  /// Without recursion: expressions may be deep.
  bool parse_expr(ExprId& root) {
    std::vector<Open> open;
    while (true) {
      ExprId done;
      if (cursor_.accept("(")) {
        if (!parse_head(open, done)) return false;
        if (!done.valid()) continue;
      } else if (!open.empty() && cursor_.next_is(")")) {
        if (!close(open.back(), done)) return false;
        cursor_.take();
        open.pop_back();
      } else if (!parse_leaf(done)) {
        return false;
      }
      if (open.empty()) {
        root = done;
        return true;
      }
      open.back().operands.push_back(done);
    }
  }

  bool close(const Open& open, ExprId& done) {
    if (open.op) {
      done = nest_.exprs.add({ApplyExpr{*open.op, open.operands}, open.type});
      return true;
    }
    if (open.operands.size() != 1)
      return error(twice_or_missing, fmt::format("a cast of {} operands", open.operands.size()), "a cast takes one");
    done = nest_.exprs.add({CastExpr{open.operands[0]}, open.type});
    return true;
  }

  bool parse_leaf(ExprId& done) {
    if (cursor_.peek().kind == TokenKind::value && cursor_.peek().text == "%acc") {
      cursor_.take();
      done = nest_.exprs.add({Accumulated{}, nest_.accumulate});
      return true;
    }
    ReadId read;
    if (!read_value(read)) return false;
    done = nest_.exprs.add({ReadValue{read}, nest_.tensors[nest_.reads[read].tensor].dtype});
    return true;
  }

  /// After '(': a whole constant, iterator or extent, or the opening of an operator or cast.
  bool parse_head(std::vector<Open>& open, ExprId& done) {
    if (cursor_.accept("const")) {
      Constant constant;
      DType type = DType::f32;
      if (!dtype(type) || !scalar(type, constant.value)) return false;
      done = nest_.exprs.add({constant, type});
      return expect(")");
    }
    if (cursor_.accept("iter")) {
      IterValue value;
      if (!iterator(value.iter)) return false;
      done = nest_.exprs.add({value, DType::i64});
      return expect(")");
    }
    if (cursor_.accept("extent")) {
      ExtentValue extent;
      if (!keep(parse_int_expr(cursor_), extent.value)) return false;
      done = nest_.exprs.add({std::move(extent), DType::i64});
      return expect(")");
    }
    Open one;
    if (!cursor_.accept("cast")) {
      one.op = scalar_op_from_name(cursor_.peek().text);
      if (!one.op)
        return error(unknown_name, fmt::format("'{}' is no operator", cursor_.peek().text),
                     "an expression is %rN, %acc, or (const|iter|extent|cast|OPERATOR …)");
      cursor_.take();
    }
    if (!dtype(one.type)) return false;
    open.push_back(std::move(one));
    return true;
  }

  bool parse_loop() {
    Loop loop;
    if (!name_of("a loop's name", loop.name)) return false;
    const std::string_view own = std::string_view(loop.name).substr(0, loop.name.find('.'));
    std::uint32_t index = 0;
    while (index < nest_.iterators.size() && nest_.iterators[IterId{index}].name != own) ++index;
    if (index == nest_.iterators.size()) return error(unknown_name, fmt::format("there is no iterator '{}'", own));
    loop.iter = IterId{index};
    if (!expect("step") || !keep(parse_int_expr(cursor_), loop.step)) return false;
    loop.parallel = cursor_.accept("parallel");
    if (cursor_.accept("vectorize") && !count("a width", loop.vector_width)) return false;
    if (cursor_.accept("unroll") && !count("a count", loop.unroll)) return false;
    if (cursor_.accept("threads") && !count("a count", loop.threads)) return false;
    loop.in_registers = cursor_.accept("registers");
    nest_.loops.push_back(std::move(loop));
    return true;
  }

  bool parse_cache() {
    CachedRead cache;
    if (!read_value(cache.read) || !expect("tile")) return false;
    if (!list("(", ")", [&] {
          auto& [iter, size] = cache.tile.emplace_back();
          return iterator(iter) && expect("=") && count("a size", size);
        }))
      return false;
    nest_.schedule.caches.push_back(std::move(cache));
    return true;
  }

  bool parse_threads() { return count("a count of threads", nest_.schedule.threads); }
  bool parse_stages() { return count("a count of stages", nest_.schedule.stages); }
  bool parse_warps() {
    return list("(", ")", [&] { return count("a count of warps", nest_.schedule.warps.emplace_back()); });
  }
  bool parse_lanes() { return iterator(nest_.schedule.lanes); }

  bool parse_split() {
    if (!iterator(nest_.schedule.split_iter) || !count("a count of parts", nest_.schedule.split)) return false;
    nest_.schedule.split_atomics = cursor_.accept("atomics");
    return true;
  }
  bool parse_variant() { return name_of("a variant", nest_.schedule.variant); }
  bool parse_auto() {
    nest_.schedule.automatic = true;
    return true;
  }

  TextCursor cursor_;
  Nest nest_;
  std::vector<std::pair<std::string, Span>> axes_;
  Diagnostics errors_;
};

const std::array<NestParser::Line, 16> NestParser::lines = {{
    {"precision", &NestParser::parse_precision},
    {"tensor", &NestParser::parse_tensor},
    {"iter", &NestParser::parse_iterator},
    {"read", &NestParser::parse_read},
    {"reduce", &NestParser::parse_reduce},
    {"value", &NestParser::parse_value},
    {"then", &NestParser::parse_then},
    {"loop", &NestParser::parse_loop},
    {"cache", &NestParser::parse_cache},
    {"threads", &NestParser::parse_threads},
    {"stages", &NestParser::parse_stages},
    {"warps", &NestParser::parse_warps},
    {"lanes", &NestParser::parse_lanes},
    {"split", &NestParser::parse_split},
    {"variant", &NestParser::parse_variant},
    {"auto", &NestParser::parse_auto},
}};

}  // namespace

Result<Nest> parse_nest(SourcePtr source) {
  return NestParser(std::move(source)).run();
}

}  // namespace tilewright::nest
