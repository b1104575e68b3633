// How a kernel's axes hang together, as the C interface tells it: shapes of results without running, and the iterators
// that a statement may be computed in parts along.
#include <algorithm>
#include <map>

#include "c/handles.h"
#include "lang/bind.h"
#include "lang/parse.h"

using namespace tilewright;
using tilewright::c::guarded;
using tilewright::c::Operands;
using tilewright::c::require;

namespace tilewright::c {
namespace {

/// Each read of an operand, not those of the target in `then`.
template <class Visit>
void visit_reads(const lang::Statement& statement, Visit&& visit) {
  for (const lang::Expr& expr : statement.exprs)
    if (const auto* read = std::get_if<lang::Read>(&expr.node);
        read != nullptr && read->tensor != statement.target.name)
      visit(*read);
}

bool has_fixed_extent(const lang::Statement& statement, const std::string& iterator) {
  if (!statement.binding) return false;
  return std::ranges::any_of(*statement.binding, [&](const lang::BoundIterator& each) {
    return each.iterator.name == iterator && each.extent.has_value();
  });
}

/// Where a part must know its place or the whole's extent.
bool stands_as_value(const lang::Statement& statement, const std::string& iterator) {
  return std::ranges::any_of(statement.exprs, [&](const lang::Expr& expr) {
    const auto* value = std::get_if<lang::IteratorValue>(&expr.node);
    const auto* extent = std::get_if<lang::ExtentOf>(&expr.node);
    return (value != nullptr && value->iterator == iterator) || (extent != nullptr && extent->iterator == iterator);
  });
}

/// The axis that a read has the iterator alone at; -1: it has it nowhere. nullopt: otherwise than once and alone.
std::optional<std::int32_t> axis_of(const lang::Read& read, const std::string& iterator) {
  std::int32_t found = -1;
  for (std::size_t axis = 0; axis < read.indices.size(); ++axis) {
    const lang::AffineIndex& index = read.indices[axis];
    if (std::ranges::find(index.terms, iterator, &lang::AffineIndex::Term::iterator) == index.terms.end()) continue;
    if (index.bare() == nullptr || read.otherwise || found >= 0) return std::nullopt;
    found = static_cast<std::int32_t>(axis);
  }
  return found;
}

/// The axes to slice, by operand; nullopt where two reads of one operand want different slices, or none does for.
std::optional<std::map<std::string, std::int32_t>> axes_along(const lang::Statement& statement,
                                                              const std::string& iterator) {
  std::map<std::string, std::int32_t> axes;
  bool fits = true;
  visit_reads(statement, [&](const lang::Read& read) {
    const auto axis = axis_of(read, iterator);
    fits = fits && axis && axes.try_emplace(read.tensor, *axis).first->second == *axis;
  });
  return fits ? std::optional(std::move(axes)) : std::nullopt;
}

std::vector<lang::OperandType> types_of(const Kernel& kernel, const Operands& operands) {
  std::vector<lang::OperandType> types;
  for (std::size_t n = 0; n < operands.tensors.size(); ++n)
    types.push_back({kernel.operand_names()[n], operands.tensors[n].dtype(), operands.tensors[n].shape()});
  return types;
}

}  // namespace

std::vector<Split> splits_of(const Kernel& kernel) {
  std::vector<Split> splits;
  if (kernel.statement() == nullptr) return splits;
  const lang::Statement& statement = *kernel.statement();
  for (const std::string& iterator : statement.iterator_order()) {
    const auto target = std::ranges::find(statement.target_iterators, iterator, &lang::Named::name);
    const bool is_reduced = target == statement.target_iterators.end();
    if (is_reduced && statement.epilogue) continue;
    if (has_fixed_extent(statement, iterator) || stands_as_value(statement, iterator)) continue;
    const auto axes = axes_along(statement, iterator);
    if (!axes) continue;
    Split split{.iterator = iterator, .combine = {}, .operand_axes = {}};
    if (is_reduced)
      split.combine = lang::operator_text(statement.reduction);
    else
      split.result_axis = static_cast<std::int32_t>(target - statement.target_iterators.begin());
    for (const std::string& operand : kernel.operand_names()) split.operand_axes.push_back(axes->at(operand));
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace tilewright::c

int tilewright_kernel_result_axis(const tilewright_kernel* kernel, size_t axis, size_t* operand, size_t* operand_axis) {
  const lang::Statement* statement = kernel == nullptr ? nullptr : kernel->kernel.statement();
  if (statement == nullptr || axis >= statement->target_iterators.size()) return -1;
  if (operand == nullptr || operand_axis == nullptr) return 0;
  const std::string& iterator = statement->target_iterators[axis].name;
  bool found = false;
  c::visit_reads(*statement, [&](const lang::Read& read) {
    for (std::size_t at = 0; !found && !read.otherwise && at < read.indices.size(); ++at) {
      const std::string* bare = read.indices[at].bare();
      if (bare == nullptr || *bare != iterator) continue;
      const auto& names = kernel->kernel.operand_names();
      *operand = static_cast<size_t>(std::ranges::find(names, read.tensor) - names.begin());
      *operand_axis = at;
      found = true;
    }
  });
  return found ? 1 : 0;
}

size_t tilewright_kernel_split_count(const tilewright_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->splits.size();
}

int tilewright_kernel_split(const tilewright_kernel* kernel, size_t number, tilewright_split* split) {
  if (number >= tilewright_kernel_split_count(kernel) || split == nullptr) return 0;
  const c::Split& found = kernel->splits[number];
  *split = {found.iterator.c_str(), found.result_axis, found.result_axis < 0 ? found.combine.c_str() : nullptr};
  return 1;
}

int32_t tilewright_kernel_split_axis(const tilewright_kernel* kernel, size_t number, size_t operand) {
  if (number >= tilewright_kernel_split_count(kernel)) return -1;
  const auto& axes = kernel->splits[number].operand_axes;
  return operand < axes.size() ? axes[operand] : -1;
}

tilewright_status tilewright_result_types(const tilewright_kernel* kernel, const tilewright_tensor* operands,
                                          size_t count, tilewright_type* types, int32_t* ranks, int64_t* shapes,
                                          tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{kernel, "kernel"}, {types, "types"}, {ranks, "ranks"}, {shapes, "shapes"}}); !given)
      return given;
    const auto typed = c::with_addresses(operands, count);
    const auto read = Operands::of(*kernel, operands == nullptr ? nullptr : typed.data(), count);
    if (!read) return std::unexpected(read.error());
    const auto known = types_with_results(kernel->kernel, c::types_of(kernel->kernel, *read));
    if (!known) return std::unexpected(known.error());
    for (std::size_t n = 0; n < kernel->results.size(); ++n) {
      const auto found = std::ranges::find(*known, kernel->results[n], &lang::OperandType::name);
      c::describe(found->dtype, found->shape, &types[n], &ranks[n], shapes + 8 * n);
    }
    return {};
  });
}
