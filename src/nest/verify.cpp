// The invariants of a nest. verify reports every one that is broken:
//
//   N040  handles name rows of their tables; operands stand before their users
//   N041  names: tensors, iterators and the target are distinct; ranks are 0 to most_axes
//   N042  output_index holds each output iterator once; only a nest with a reduction has reduction iterators
//   N043  a read has one index an axis, whose terms are distinct iterators with coefficients other than 0, and an
//         `else` of its tensor's class
//   N044  expressions: a read has its tensor's type; iterators and extents are i64; an operator has its number of
//         operands, of one type (select's condition is bool), of a class that it admits, and the type that follows
//   N045  value is of type accumulate and does not hold Accumulated; result is of type output and depends on no
//         reduction iterator; the identity is of accumulate's class
//   N046  extents are over axes of the nest's tensors
//   N047  loops: one named for each iterator, each inner loop X.in after its X, over the same iterator; steps are
//         positive, constant ones no larger than the enclosing step, the innermost 1; only output loops and the
//         outermost loop of a split reduction are parallel; loops in registers are innermost and as long as a constant
//         step
//   N048  schedule facts: cached reads with a positive tile for each iterator they depend on and none cached twice; a
//         split of a reduction iterator; counts not negative; two or three warps or none; a variant that exists
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "nest/ir.h"
#include "nest/passes/set_variant.h"
#include "nest/walk.h"
#include "support/overloaded.h"

namespace tilewright::nest {
namespace {

class Verifier {
 public:
  explicit Verifier(const Nest& nest) : nest_(nest) {}

  Result<void> run() {
    check_handles();
    if (!errors_.empty()) return std::unexpected(std::move(errors_));  // the rest follows handles
    check_names();
    check_roles();
    for (const Read& read : nest_.reads) check_read(read);
    for (std::uint32_t index = 0; index < nest_.exprs.size(); ++index) check_expr(ExprId{index});
    check_roots();
    check_extents();
    check_loops();
    check_schedule();
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return {};
  }

 private:
  void require(bool holds, std::string_view code, std::string message) {
    if (holds) return;
    Diagnostics one = std::move(fail(code, std::move(message)).error());
    errors_.insert(errors_.end(), one.begin(), one.end());
  }

  void check_handles() {
    const auto iter = [&](IterId id) {
      require(nest_.iterators.contains(id), "N040", fmt::format("iterator {} is in no table", id.index));
    };
    const auto expr = [&](ExprId id, std::uint32_t user) {
      require(id.index < user, "N040", fmt::format("expression {} does not stand before its user {}", id.index, user));
    };
    for (IterId id : nest_.output_index) iter(id);
    for (const Read& read : nest_.reads) {
      require(nest_.tensors.contains(read.tensor), "N040", fmt::format("tensor {} is in no table", read.tensor.index));
      for (const Affine& index : read.index)
        for (const Affine::Term& term : index.terms) iter(term.iter);
    }
    for (std::uint32_t index = 0; index < nest_.exprs.size(); ++index) {
      const Expr& one = nest_.exprs[ExprId{index}];
      for_each_operand(one, [&](ExprId operand) { expr(operand, index); });
      if (const ReadValue* value = std::get_if<ReadValue>(&one.node))
        require(nest_.reads.contains(value->read), "N040", fmt::format("read {} is in no table", value->read.index));
      if (const IterValue* value = std::get_if<IterValue>(&one.node)) iter(value->iter);
    }
    expr(nest_.value, static_cast<std::uint32_t>(nest_.exprs.size()));
    expr(nest_.result, static_cast<std::uint32_t>(nest_.exprs.size()));
    for (const Loop& loop : nest_.loops) iter(loop.iter);
    for (const CachedRead& cache : nest_.schedule.caches) {
      require(nest_.reads.contains(cache.read), "N040", fmt::format("read {} is in no table", cache.read.index));
      for (const auto& [id, size] : cache.tile) iter(id);
    }
    if (nest_.schedule.split != 0) iter(nest_.schedule.split_iter);
  }

  void check_names() {
    std::set<std::string, std::less<>> names = {nest_.name};
    for (const Tensor& tensor : nest_.tensors) {
      require(names.insert(tensor.name).second, "N041", fmt::format("the name '{}' is taken", tensor.name));
      require(tensor.rank >= 0 && tensor.rank <= most_axes, "N041",
              fmt::format("'{}' has rank {}", tensor.name, tensor.rank));
    }
    for (const Iterator& iterator : nest_.iterators)
      require(names.insert(iterator.name).second, "N041", fmt::format("the name '{}' is taken", iterator.name));
    require(nest_.output_index.size() <= 8, "N041", fmt::format("the output has rank {}", nest_.output_index.size()));
  }

  void check_roles() {
    for (std::uint32_t index = 0; index < nest_.iterators.size(); ++index) {
      const Iterator& iterator = nest_.iterators[IterId{index}];
      const auto uses = std::ranges::count(nest_.output_index, IterId{index});
      require(uses == (iterator.role == IteratorRole::output ? 1 : 0), "N042",
              fmt::format("'{}' indexes the output {} times", iterator.name, uses));
      require(nest_.reduction || iterator.role == IteratorRole::output, "N042",
              fmt::format("'{}' reduces, and the nest has no reduction", iterator.name));
    }
  }

  void check_read(const Read& read) {
    const Tensor& tensor = nest_.tensors[read.tensor];
    require(static_cast<int>(read.index.size()) == tensor.rank, "N043",
            fmt::format("'{}' has rank {} and is read with {} indices", tensor.name, tensor.rank, read.index.size()));
    for (const Affine& index : read.index) {
      std::set<std::uint32_t> seen;
      for (const Affine::Term& term : index.terms)
        require(term.coefficient != 0 && seen.insert(term.iter.index).second, "N043",
                fmt::format("an index of '{}' holds '{}' twice, or zero times", tensor.name,
                            nest_.iterators[term.iter].name));
    }
    require(!read.otherwise || read.otherwise->is_float() == is_floating(tensor.dtype), "N043",
            fmt::format("the 'else' of '{}' is not of its type {}", tensor.name, name(tensor.dtype)));
  }

  void check_expr(ExprId id) {
    const Expr& expr = nest_.exprs[id];
    const auto is = [&](DType type, std::string_view what) {
      require(expr.dtype == type, "N044",
              fmt::format("expression {} is {} and {} is {}", id.index, name(expr.dtype), what, name(type)));
    };
    std::visit(Overloaded{[&](const Constant& constant) {
                            require(constant.value.is_float() == is_floating(expr.dtype), "N044",
                                    fmt::format("constant {} is not of its type {}", id.index, name(expr.dtype)));
                          },
                          [&](const ReadValue& value) {
                            is(nest_.tensors[nest_.reads[value.read].tensor].dtype, "its tensor");
                          },
                          [&](const IterValue&) { is(DType::i64, "an iterator"); },
                          [&](const ExtentValue&) { is(DType::i64, "an extent"); },
                          [&](const Accumulated&) { is(nest_.accumulate, "the accumulator"); }, [&](const CastExpr&) {},
                          [&](const ApplyExpr& apply) { check_apply(id, apply); }},
               expr.node);
  }

  void check_apply(ExprId id, const ApplyExpr& apply) {
    const ScalarOpInfo& op = info(apply.op);
    const Expr& expr = nest_.exprs[id];
    const bool counted = static_cast<int>(apply.operands.size()) == op.arity;
    require(counted, "N044",
            fmt::format("{} takes {} operands and expression {} has {}", op.name, op.arity, id.index,
                        apply.operands.size()));
    if (!counted) return;
    const bool selects = op.operands == OpOperands::selection;
    const DType type = nest_.exprs[apply.operands.back()].dtype;
    for (std::size_t position = 0; position < apply.operands.size(); ++position) {
      const DType own = nest_.exprs[apply.operands[position]].dtype;
      const DType wanted = selects && position == 0 ? DType::boolean : type;
      require(own == wanted, "N044",
              fmt::format("operand {} of {} in expression {} is {}, not {}", position, op.name, id.index, name(own),
                          name(wanted)));
    }
    require(admits(apply.op, type), "N044",
            fmt::format("{} in expression {} does not take {}", op.name, id.index, name(type)));
    const bool gives_bool = op.operands == OpOperands::comparison || op.operands == OpOperands::logical;
    const DType result = gives_bool ? DType::boolean : type;
    require(expr.dtype == result, "N044",
            fmt::format("{} of {} gives {} and expression {} is {}", op.name, name(type), name(result), id.index,
                        name(expr.dtype)));
  }

  static bool admits(ScalarOp op, DType type) {
    switch (info(op).operands) {
      case OpOperands::arithmetic:
      case OpOperands::floating:
        // Arithmetic is done in the types that evaluate as themselves; narrower ones are cast first.
        if (info(type).evaluate != type) return false;
        return info(op).operands == OpOperands::floating ? is_floating(type) : !is_boolean(type);
      case OpOperands::ordered:
        return !is_boolean(type);
      case OpOperands::comparison:
        return !is_boolean(type) || op == ScalarOp::eq || op == ScalarOp::ne;
      case OpOperands::logical:
        return is_boolean(type);
      case OpOperands::selection:
        return true;
    }
    internal_error("unknown class of operands");
  }

  void check_roots() {
    const DType value = nest_.exprs[nest_.value].dtype;
    const DType result = nest_.exprs[nest_.result].dtype;
    require(value == nest_.accumulate, "N045",
            fmt::format("the value is {}, accumulated in {}", name(value), name(nest_.accumulate)));
    require(result == nest_.output, "N045",
            fmt::format("the result is {} and the output {}", name(result), name(nest_.output)));
    require(!nest_.reduction || nest_.identity.is_float() == is_floating(nest_.accumulate), "N045",
            "the identity is not of the accumulator's type");
    walk(nest_.exprs, nest_.value, [&](ExprId, const Expr& expr) {
      require(!std::holds_alternative<Accumulated>(expr.node), "N045", "the value reads its own accumulator");
    });
    const auto require_output = [&](IterId iter) {
      require(nest_.iterators[iter].role == IteratorRole::output, "N045",
              fmt::format("the result depends on the reduction iterator '{}'", nest_.iterators[iter].name));
    };
    walk(nest_.exprs, nest_.result, [&](ExprId, const Expr& expr) {
      if (const IterValue* iter = std::get_if<IterValue>(&expr.node)) require_output(iter->iter);
      if (const ReadValue* read = std::get_if<ReadValue>(&expr.node))
        for (const Affine& index : nest_.reads[read->read].index)
          for (const Affine::Term& term : index.terms) require_output(term.iter);
    });
  }

  void check_extents() {
    const auto check = [&](const IntExpr& extent) {
      for (const std::string& symbol : symbols(extent))
        require(is_axis(symbol), "N046", fmt::format("'{}' is no axis of a tensor of the nest", symbol));
    };
    for (const Iterator& iterator : nest_.iterators) check(iterator.extent);
    for (const Expr& expr : nest_.exprs)
      if (const ExtentValue* extent = std::get_if<ExtentValue>(&expr.node)) check(extent->value);
  }

  bool is_axis(std::string_view symbol) const {
    const std::size_t dot = symbol.rfind('.');
    if (dot == std::string_view::npos) return false;
    int axis = -1;
    std::from_chars(symbol.data() + dot + 1, symbol.data() + symbol.size(), axis);
    return std::ranges::any_of(nest_.tensors, [&](const Tensor& tensor) {
      return tensor.name == symbol.substr(0, dot) && axis >= 0 && axis < tensor.rank;
    });
  }

  void check_loops() {
    std::set<std::string, std::less<>> seen;
    for (const Loop& loop : nest_.loops) {
      const Iterator& iterator = nest_.iterators[loop.iter];
      require(seen.insert(loop.name).second, "N047", fmt::format("two loops are named '{}'", loop.name));
      require(!loop.step.is_constant() || loop.step.constant() > 0, "N047",
              fmt::format("loop '{}' has the step {}", loop.name, to_text(loop.step)));
      const bool is_split = &loop == &nest_.loops.front() && loop.iter == nest_.schedule.split_iter;
      require(!loop.parallel || iterator.role == IteratorRole::output || is_split, "N047",
              fmt::format("the reduction loop '{}' is parallel", loop.name));
      require(loop.vector_width >= 0 && loop.unroll >= 0 && loop.threads >= 0, "N047",
              fmt::format("loop '{}' has a negative width", loop.name));
      require(loop.threads == 0 || loop.name != iterator.name, "N047",
              fmt::format("loop '{}' is dealt to threads, and no loop around it says how many points", loop.name));
      if (loop.name == iterator.name) continue;
      check_inner_loop(loop);
    }
    for (std::uint32_t index = 0; index < nest_.iterators.size(); ++index) check_innermost(IterId{index});
    for (std::size_t i = 1; i < nest_.loops.size(); ++i)
      require(!is_within_thread(nest_.loops[i - 1]) || is_within_thread(nest_.loops[i]), "N047",
              fmt::format("loop '{}' is inside a loop in registers", nest_.loops[i].name));
  }

  static bool is_within_thread(const Loop& loop) { return loop.in_registers || loop.threads > 0; }

  void check_threads(const Loop& loop, const Loop& outer) {
    const bool dealt = loop.step.is_constant() && outer.step.is_constant() &&
                       loop.step.constant() * loop.threads == outer.step.constant();
    require(dealt, "N047",
            fmt::format("loop '{}' has {} threads by {} over {}", loop.name, loop.threads, to_text(loop.step),
                        to_text(outer.step)));
  }

  void check_inner_loop(const Loop& loop) {
    const Loop* outer = nullptr;
    for (const Loop& one : nest_.loops) {
      if (&one == &loop) break;
      if (one.name + ".in" == loop.name && one.iter == loop.iter) outer = &one;
    }
    require(outer != nullptr, "N047",
            fmt::format("loop '{}' is neither its iterator's own nor inside one that it runs over", loop.name));
    if (outer && loop.threads > 0) check_threads(loop, *outer);
    if (outer && outer->step.is_constant() && loop.step.is_constant())
      require(loop.step.constant() <= outer->step.constant(), "N047",
              fmt::format("loop '{}' steps by {} over {}", loop.name, loop.step.constant(), outer->step.constant()));
  }

  void check_innermost(IterId iter) {
    const Loop* innermost = nullptr;
    for (const Loop& loop : nest_.loops)
      if (loop.iter == iter && (!innermost || loop.name.size() > innermost->name.size())) innermost = &loop;
    require(innermost != nullptr, "N047", fmt::format("'{}' has no loop", nest_.iterators[iter].name));
    if (innermost)
      require(innermost->step.is_constant(1), "N047",
              fmt::format("the innermost loop '{}' steps by {}", innermost->name, to_text(innermost->step)));
  }

  void check_schedule() {
    const ScheduleFacts& facts = nest_.schedule;
    std::set<std::uint32_t> cached;
    for (const CachedRead& cache : facts.caches) {
      require(cached.insert(cache.read.index).second, "N048", fmt::format("read {} is cached twice", cache.read.index));
      check_cache(cache);
    }
    require(facts.threads >= 0 && facts.stages >= 0 && facts.split >= 0, "N048", "a count of the schedule is negative");
    require(facts.split == 0 || nest_.iterators[facts.split_iter].role == IteratorRole::reduction, "N048",
            "the split is of an output iterator");
    require(facts.warps.empty() || facts.warps.size() == 2 || facts.warps.size() == 3, "N048",
            fmt::format("{} warp counts", facts.warps.size()));
    require(std::ranges::all_of(facts.warps, [](std::int64_t count) { return count > 0; }), "N048",
            "a warp count is not positive");
    require(facts.variant.empty() || std::ranges::find(variant_names(), facts.variant) != variant_names().end(), "N048",
            fmt::format("there is no variant '{}'", facts.variant));
  }

  void check_cache(const CachedRead& cache) {
    std::set<std::uint32_t> needed;
    for (const Affine& index : nest_.reads[cache.read].index)
      for (const Affine::Term& term : index.terms) needed.insert(term.iter.index);
    for (const auto& [iter, size] : cache.tile) {
      require(size > 0, "N048", fmt::format("a staged tile of {}", size));
      require(needed.erase(iter.index) == 1, "N048",
              fmt::format("read {} does not depend on '{}'", cache.read.index, nest_.iterators[iter].name));
    }
    require(needed.empty(), "N048", fmt::format("the plan of read {} lacks an iterator's tile", cache.read.index));
  }

  const Nest& nest_;
  Diagnostics errors_;
};

}  // namespace

Result<void> verify(const Nest& nest) {
  return Verifier(nest).run();
}

}  // namespace tilewright::nest
