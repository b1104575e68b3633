// Iterators, names and expressions: every function here makes a node.
#include "api/expr_node.h"

#include <algorithm>

#include "lang/parser.h"

namespace tilewright::v0 {

namespace detail {

namespace {
constexpr std::int64_t most_nodes = 1 << 20;
}

Expr make_expr(decltype(ExprNode::node) node, const std::vector<NodePtr>& children) {
  ExprNode made{std::move(node)};
  bool too_large = false;
  for (const NodePtr& child : children) {
    made.height = std::max(made.height, child->height + 1);
    made.size += child->size;
    too_large = too_large || std::holds_alternative<TooLargeNode>(child->node);
  }
  if (too_large || made.height > lang::tallest_expression || made.size > most_nodes) made = {TooLargeNode{}};
  return Expr(std::make_shared<const ExprNode>(std::move(made)));
}

}  // namespace detail

using namespace detail;

namespace {

NamePtr make_name(std::string_view text) {
  return std::make_shared<const Name>(Name{std::string(text)});
}

template <class... Operands>
Expr apply(ScalarOp op, const Operands&... operands) {
  std::vector<NodePtr> nodes = {operands.node()...};
  return make_expr(ApplyNode{op, nodes}, nodes);
}

}  // namespace

Index::Index() : name_(make_name({})) {}
Index::Index(std::string_view name) : name_(make_name(name)) {}

IndexRange Index::below(std::int64_t n) const {
  return {*this, n};
}
Loop Index::inner() const {
  return Loop(*this).inner();
}
Loop Loop::inner() const {
  Loop loop = *this;
  ++loop.depth_;
  return loop;
}

TensorName::TensorName() : name_(make_name({})) {}
TensorName::TensorName(std::string_view name) : name_(make_name(name)) {}

Expr Expr::literal(Number number) {
  return make_expr(number, {});
}
Expr::Expr(const Index& iterator) : Expr(make_expr(IteratorNode{iterator.name()}, {})) {}

namespace {

Expr read(const NamePtr& tensor, const std::vector<Expr>& indices, std::optional<Number> otherwise) {
  std::vector<NodePtr> nodes;
  for (const Expr& index : indices) nodes.push_back(index.node());
  return make_expr(ReadNode{tensor, nodes, otherwise}, nodes);
}

}  // namespace

Expr::Expr(const Access& access) : Expr(read(access.tensor_, access.indices_, std::nullopt)) {}

Expr Access::read_otherwise(Number v) const {
  return read(tensor_, indices_, v);
}

Expr cast(DType to, const Expr& x) {
  return make_expr(CastNode{to, x.node()}, {x.node()});
}
Expr extent(const Index& iterator) {
  return make_expr(ExtentNode{iterator.name()}, {});
}

Expr operator+(const Expr& x, const Expr& y) {
  return apply(ScalarOp::add, x, y);
}
Expr operator-(const Expr& x, const Expr& y) {
  return apply(ScalarOp::sub, x, y);
}
Expr operator*(const Expr& x, const Expr& y) {
  return apply(ScalarOp::mul, x, y);
}
Expr operator/(const Expr& x, const Expr& y) {
  return apply(ScalarOp::div, x, y);
}
Expr operator-(const Expr& x) {
  return apply(ScalarOp::neg, x);
}
Expr operator<(const Expr& x, const Expr& y) {
  return apply(ScalarOp::lt, x, y);
}
Expr operator<=(const Expr& x, const Expr& y) {
  return apply(ScalarOp::le, x, y);
}
Expr operator>(const Expr& x, const Expr& y) {
  return apply(ScalarOp::gt, x, y);
}
Expr operator>=(const Expr& x, const Expr& y) {
  return apply(ScalarOp::ge, x, y);
}
Expr operator==(const Expr& x, const Expr& y) {
  return apply(ScalarOp::eq, x, y);
}
Expr operator!=(const Expr& x, const Expr& y) {
  return apply(ScalarOp::ne, x, y);
}
Expr operator&&(const Expr& x, const Expr& y) {
  return apply(ScalarOp::logical_and, x, y);
}
Expr operator||(const Expr& x, const Expr& y) {
  return apply(ScalarOp::logical_or, x, y);
}
Expr operator!(const Expr& x) {
  return apply(ScalarOp::logical_not, x);
}

// The functions of the table of operators, by their number of operands.
#define TW_INFIX(name, arity)
#define TW_PREFIX(name, arity)
#define TW_FUNCTION(name, arity) TW_FUNCTION_##arity(name)
#define TW_FUNCTION_1(name)          \
  Expr name(const Expr& x) {         \
    return apply(ScalarOp::name, x); \
  }
#define TW_FUNCTION_2(name)                 \
  Expr name(const Expr& x, const Expr& y) { \
    return apply(ScalarOp::name, x, y);     \
  }
#define TW_FUNCTION_3(name)                                \
  Expr name(const Expr& x, const Expr& y, const Expr& z) { \
    return apply(ScalarOp::name, x, y, z);                 \
  }
#define infix TW_INFIX
#define prefix TW_PREFIX
#define function TW_FUNCTION
#define X(name, spelling, arity, form, operands) form(name, arity)
TILEWRIGHT_SCALAR_OPS(X)
#undef X
#undef infix
#undef prefix
#undef function

}  // namespace tilewright::v0
