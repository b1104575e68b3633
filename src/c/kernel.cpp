// Kernels of the C interface.
#include "c/handles.h"
#include "lang/parse.h"

using namespace tilewright;
using tilewright::c::guarded;
using tilewright::c::require;

tilewright_kernel::tilewright_kernel(Kernel parsed)
    : kernel(std::move(parsed)),
      results(kernel.result_names()),
      text(kernel.statement() != nullptr ? lang::to_text(*kernel.statement()) : lang::to_text(*kernel.program())),
      splits(tilewright::c::splits_of(kernel)) {}

namespace {

std::string source_of(const char* name) {
  return name == nullptr ? "<statement>" : name;
}

Result<void> parse_einsum(const char* equation, const size_t* ranks, size_t count, std::optional<DType> element,
                          tilewright_kernel** kernel) {
  if (auto given = require({{equation, "equation"}, {kernel, "kernel"}}); !given) return given;
  if (count > 0)
    if (auto given = require({{ranks, "ranks"}}); !given) return given;
  *kernel = nullptr;
  Result<Kernel> parsed = Kernel::einsum(equation, std::vector<std::size_t>(ranks, ranks + count), element);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  *kernel = new tilewright_kernel(std::move(*parsed));
  return {};
}

}  // namespace

tilewright_status tilewright_kernel_parse(const char* text, const char* source_name, tilewright_kernel** kernel,
                                          tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{text, "text"}, {kernel, "kernel"}}); !given) return given;
    *kernel = nullptr;
    Result<Kernel> parsed = Kernel::parse(text, source_of(source_name));
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    *kernel = new tilewright_kernel(std::move(*parsed));
    return {};
  });
}

tilewright_status tilewright_kernels_parse(const char* text, const char* source_name, tilewright_kernel*** kernels,
                                           size_t* count, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{text, "text"}, {kernels, "kernels"}, {count, "count"}}); !given) return given;
    *kernels = nullptr;
    *count = 0;
    auto parsed = parse_kernels(std::make_shared<const Source>(source_of(source_name), std::string(text)));
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    std::vector<std::unique_ptr<tilewright_kernel>> made;
    for (Kernel& each : *parsed) made.push_back(std::make_unique<tilewright_kernel>(std::move(each)));
    *kernels = new tilewright_kernel*[made.size()];
    for (auto& each : made) (*kernels)[(*count)++] = each.release();
    return {};
  });
}

void tilewright_kernels_free(tilewright_kernel** kernels, size_t count) {
  if (kernels == nullptr) return;
  for (size_t n = 0; n < count; ++n) delete kernels[n];
  delete[] kernels;
}

tilewright_status tilewright_kernel_einsum(const char* equation, const size_t* ranks, size_t count,
                                           tilewright_kernel** kernel, tilewright_error** error) {
  return guarded(error, [&] { return parse_einsum(equation, ranks, count, std::nullopt, kernel); });
}

tilewright_status tilewright_kernel_einsum_of(const char* equation, const size_t* ranks, size_t count,
                                              tilewright_type type, tilewright_kernel** kernel,
                                              tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    const std::optional<DType> element = dtype_of({type.code, type.bits, type.lanes});
    if (!element)
      return fail(
          "R022",
          "no element type has code " + std::to_string(type.code) + " and " + std::to_string(type.bits) + " bits",
          "take one of tilewright_type_named()");
    return parse_einsum(equation, ranks, count, element, kernel);
  });
}

void tilewright_kernel_free(tilewright_kernel* kernel) {
  delete kernel;
}

const char* tilewright_kernel_name(const tilewright_kernel* kernel) {
  return kernel == nullptr ? nullptr : kernel->kernel.name().c_str();
}

const char* tilewright_kernel_text(const tilewright_kernel* kernel) {
  return kernel == nullptr ? nullptr : kernel->text.c_str();
}

int tilewright_kernel_is_program(const tilewright_kernel* kernel) {
  return kernel != nullptr && kernel->kernel.program() != nullptr ? 1 : 0;
}

size_t tilewright_kernel_operand_count(const tilewright_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->kernel.operand_names().size();
}

const char* tilewright_kernel_operand(const tilewright_kernel* kernel, size_t number) {
  return number < tilewright_kernel_operand_count(kernel) ? kernel->kernel.operand_names()[number].c_str() : nullptr;
}

size_t tilewright_kernel_result_count(const tilewright_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->results.size();
}

const char* tilewright_kernel_result(const tilewright_kernel* kernel, size_t number) {
  return number < tilewright_kernel_result_count(kernel) ? kernel->results[number].c_str() : nullptr;
}

size_t tilewright_kernel_example_count(const tilewright_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->kernel.examples().size();
}

int tilewright_kernel_example(const tilewright_kernel* kernel, size_t example, size_t operand, tilewright_type* type,
                              int32_t* rank, int64_t* shape) {
  const char* name = tilewright_kernel_operand(kernel, operand);
  if (name == nullptr || example >= tilewright_kernel_example_count(kernel) || type == nullptr || rank == nullptr ||
      shape == nullptr)
    return 0;
  for (const lang::ExampleOperand& each : kernel->kernel.examples()[example]) {
    if (each.name.name != name) continue;
    c::describe(each.dtype, each.shape, type, rank, shape);
    return 1;
  }
  return 0;
}
