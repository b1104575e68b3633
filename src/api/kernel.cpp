// The public Kernel.
#include "api/inside.h"
#include "lang/parse.h"

namespace tilewright::v0 {

Kernel Kernel::Inside::wrap(tilewright::Kernel kernel, std::vector<AssignedName> names) {
  std::vector<std::string> results = kernel.result_names();
  std::string text =
      kernel.statement() != nullptr ? lang::to_text(*kernel.statement()) : lang::to_text(*kernel.program());
  return Kernel(
      std::make_shared<const Inside>(Inside{std::move(kernel), std::move(results), std::move(text), std::move(names)}));
}

Result<Kernel> Kernel::try_parse(std::string_view text, std::string_view source_name) noexcept {
  return guarded([&]() -> Result<Kernel> {
    auto kernel = tilewright::Kernel::parse(std::string(text), std::string(source_name));
    if (!kernel) return outer(kernel.error());
    return Inside::wrap(std::move(*kernel));
  });
}

Result<std::vector<Kernel>> Kernel::try_parse_all(std::string_view text, std::string_view source_name) noexcept {
  return guarded([&]() -> Result<std::vector<Kernel>> {
    auto parsed = parse_kernels(std::make_shared<const Source>(std::string(source_name), std::string(text)));
    if (!parsed) return outer(parsed.error());
    std::vector<Kernel> kernels;
    for (tilewright::Kernel& kernel : *parsed) kernels.push_back(Inside::wrap(std::move(kernel)));
    return kernels;
  });
}

Result<Kernel> Kernel::try_einsum(std::string_view equation, const std::vector<std::size_t>& ranks) noexcept {
  return guarded([&]() -> Result<Kernel> {
    auto kernel = tilewright::Kernel::einsum(equation, ranks);
    if (!kernel) return outer(kernel.error());
    return Inside::wrap(std::move(*kernel));
  });
}

Result<Kernel> Kernel::try_dot_general(std::size_t lhs_rank, std::size_t rhs_rank, const DotAxes& axes,
                                       const DotOptions& options) noexcept {
  return guarded([&]() -> Result<Kernel> {
    auto statement = lang::parse_dot_general(
        {.lhs = {lhs_rank, axes.lhs_contracting, axes.lhs_batch},
         .rhs = {rhs_rank, axes.rhs_contracting, axes.rhs_batch},
         .precision = static_cast<tilewright::Precision>(options.precision),
         .result_type = options.result_type ? std::optional(inner(*options.result_type)) : std::nullopt});
    if (!statement) return outer(statement.error());
    return Inside::wrap(tilewright::Kernel(std::move(*statement)));
  });
}

const std::string& Kernel::name() const noexcept {
  return inside_->kernel.name();
}
const std::vector<std::string>& Kernel::operand_names() const noexcept {
  return inside_->kernel.operand_names();
}
const std::vector<std::string>& Kernel::result_names() const noexcept {
  return inside_->results;
}
const std::string& Kernel::text() const noexcept {
  return inside_->text;
}

}  // namespace tilewright::v0
