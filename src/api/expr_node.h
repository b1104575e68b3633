// What the public Expr, Index and TensorName hold: an immutable tree over name objects. build_statement.h turns it into
// the statement of src/lang.
#pragma once

#include "api/inside.h"  // first: it sets the public namespace

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/scalar_op.h"
#include "tilewright/expression.h"

namespace tilewright::v0::detail {

/// A name object. With an empty text its identity is its address.
struct Name {
  std::string text;
};

using NodePtr = std::shared_ptr<const ExprNode>;

struct ReadNode {
  NamePtr tensor;
  std::vector<NodePtr> indices;
  std::optional<Number> otherwise;
};
struct IteratorNode {
  NamePtr iterator;
};
struct ExtentNode {
  NamePtr iterator;
};
struct CastNode {
  DType to;
  NodePtr operand;
};
struct ApplyNode {
  ScalarOp op;
  std::vector<NodePtr> operands;
};
/// In place of a tree that no statement can hold: taller than the language allows, or with too many parts, or with such
/// a part. It has no children, so that trees stay shallow enough for recursion, their destruction included.
struct TooLargeNode {};

struct ExprNode {
  std::variant<Number, ReadNode, IteratorNode, ExtentNode, CastNode, ApplyNode, TooLargeNode> node;
  int height = 1;
  std::int64_t size = 1;  ///< nodes of the tree; a shared part counts each time
};

/// A node over these children, or TooLargeNode.
Expr make_expr(decltype(ExprNode::node) node, const std::vector<NodePtr>& children);

}  // namespace tilewright::v0::detail
