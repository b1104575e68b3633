// Statements and programs: each call adds a part.
#include "api/statement_parts.h"

#include "api/build_kernel.h"

namespace tilewright::v0 {

using detail::Located;

namespace {

Statement make(const detail::NamePtr& target, const std::vector<Expr>& indices, std::optional<Monoid> reduction,
               const Located& value) {
  StatementParts parts;
  parts.target = target;
  for (const Expr& index : indices) parts.target_indices.push_back(index.node());
  parts.reduction = reduction;
  parts.value = value.expr.node();
  parts.at = value.at;
  return Statement::Inside::make(std::move(parts));
}

}  // namespace

Statement Access::operator=(const Located& value) const&& {
  return make(tensor_, indices_, std::nullopt, value);
}
Statement Access::operator+=(const Located& value) const&& {
  return make(tensor_, indices_, Monoid::sum, value);
}
Statement Access::operator*=(const Located& value) const&& {
  return make(tensor_, indices_, Monoid::product, value);
}
Statement Access::max_reduce(const Located& value) const&& {
  return make(tensor_, indices_, Monoid::max, value);
}
Statement Access::min_reduce(const Located& value) const&& {
  return make(tensor_, indices_, Monoid::min, value);
}

namespace {

/// The statement with one more part.
template <class Change>
Statement changed(const Statement& statement, Change&& change) {
  StatementParts parts = Statement::Inside::of(statement);
  change(parts);
  return Statement::Inside::make(std::move(parts));
}

/// Sets what may be set once; `call` is what the error names.
template <class T>
void set_once(StatementParts& parts, std::optional<T> StatementParts::* part, T value, std::string_view call) {
  if (parts.*part) parts.repeated.push_back(call);
  parts.*part = std::move(value);
}

Statement with_line(const Statement& statement, std::string_view name, std::vector<LinePart::Argument> arguments,
                    bool is_property = false) {
  return changed(statement,
                 [&](StatementParts& parts) { parts.schedule.push_back({name, is_property, std::move(arguments)}); });
}

}  // namespace

Statement Statement::then(const Expr& epilogue) const {
  return changed(*this, [&](auto& parts) { set_once(parts, &StatementParts::epilogue, epilogue.node(), "then"); });
}
Statement Statement::over(const std::vector<IndexRange>& binding) const {
  return changed(*this, [&](auto& parts) { set_once(parts, &StatementParts::binding, binding, "over"); });
}
Statement Statement::result_type(DType type) const {
  return changed(*this, [&](auto& parts) { set_once(parts, &StatementParts::annotation, type, "result_type"); });
}
Statement Statement::precision(Precision precision) const {
  return changed(*this, [&](auto& parts) { set_once(parts, &StatementParts::precision, precision, "precision"); });
}
Statement Statement::example(const std::vector<ExampleOperand>& operands) const {
  return changed(*this, [&](auto& parts) { parts.examples.push_back(operands); });
}

Statement Statement::tile(const Loop& loop) const {
  return with_line(*this, "tile", {loop});
}
Statement Statement::tile(const Loop& loop, std::int64_t n) const {
  return with_line(*this, "tile", {loop, n});
}
Statement Statement::cache_all(const std::vector<TensorName>& names) const {
  std::vector<LinePart::Argument> arguments;
  for (const TensorName& name : names) arguments.emplace_back(name.name());
  return with_line(*this, "cache", std::move(arguments));
}
Statement Statement::threads(std::int64_t n) const {
  return with_line(*this, "threads", {n}, true);
}
Statement Statement::parallel(const Loop& loop) const {
  return with_line(*this, "parallel", {loop});
}
Statement Statement::reorder_all(const std::vector<Loop>& loops) const {
  return with_line(*this, "reorder", {loops.begin(), loops.end()});
}
Statement Statement::vectorize(const Loop& loop, std::int64_t n) const {
  return with_line(*this, "vectorize", {loop, n});
}
Statement Statement::unroll(const Loop& loop, std::int64_t n) const {
  return with_line(*this, "unroll", {loop, n});
}
Statement Statement::split(const Loop& loop, std::int64_t n) const {
  return with_line(*this, "split", {loop, n});
}
Statement Statement::split(const Loop& loop, std::int64_t n, Atomics) const {
  return with_line(*this, "split", {loop, n, std::string("atomics")});
}
Statement Statement::stages(std::int64_t n) const {
  return with_line(*this, "stages", {n}, true);
}
Statement Statement::warps(std::int64_t m, std::int64_t n) const {
  return with_line(*this, "warps", {m, n});
}
Statement Statement::warps(std::int64_t m, std::int64_t n, std::int64_t k) const {
  return with_line(*this, "warps", {m, n, k});
}
Statement Statement::variant(std::string_view name) const {
  return with_line(*this, "variant", {std::string(name)}, true);
}
Statement Statement::automatic() const {
  return with_line(*this, "auto", {});
}

namespace {

template <class Parts>
Result<Kernel> made_once(Once<Parts>& once) {
  return guarded([&]() -> Result<Kernel> {
    std::call_once(once.made, [&] { once.kernel = build_kernel(once.parts); });
    return once.kernel;
  });
}

}  // namespace

Result<Kernel> Statement::try_kernel() const noexcept {
  return made_once(inside_->once);
}

Program::Program(std::string_view name, const std::vector<TensorName>& parameters,
                 const std::vector<TensorName>& results, const std::vector<Statement>& statements,
                 std::source_location location) {
  ProgramParts parts{std::string(name), parameters, results, {}, {}, location};
  for (const Statement& statement : statements) parts.statements.push_back(Statement::Inside::of(statement));
  inside_ = std::make_shared<const Inside>(std::move(parts));
}

Program Program::example(const std::vector<ExampleOperand>& operands) const {
  ProgramParts parts = inside_->once.parts;
  parts.examples.push_back(operands);
  return Program(std::make_shared<const Inside>(std::move(parts)));
}

Result<Kernel> Program::try_kernel() const noexcept {
  return made_once(inside_->once);
}

}  // namespace tilewright::v0
