// Plans on the tile evaluator. See evaluate.h.
#include "plan/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <memory>
#include <new>

#include "plan/run.h"
#include "support/tensor_symbol.h"
#include "tile/evaluate.h"

namespace tilewright::plan {
namespace {

constexpr std::size_t alignment = 64;

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t(alignment)); }
};

class TileExecutor : public Executor {
 public:
  explicit TileExecutor(const Plan& plan) : plan_(plan) {}

  Result<std::byte*> allocate(std::int64_t bytes) override {
    const auto size = static_cast<std::size_t>(bytes);
    auto* memory = static_cast<std::byte*>(::operator new[](size, std::align_val_t(alignment), std::nothrow));
    if (memory == nullptr) return fail("P106", fmt::format("plan {}: no memory for {} bytes", plan_.name, bytes));
    memory_.emplace_back(memory);
    std::memset(memory, 0xFF, size);
    return memory;
  }

  Result<void> fill(const TensorView& view, Scalar value) override {
    for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) { view.set(index, value); });
    return {};
  }

  Result<void> launch(const LaunchCall& call) override {
    const tile::Program& kernel = plan_.kernels[call.kernel];
    std::vector<nest::NamedView> views;
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      views.push_back({call.launch->arguments[i].parameter, call.arguments[i]});
    const SymbolValues bindings = [&](std::string_view symbol) -> std::optional<std::int64_t> {
      for (std::size_t i = 0; i < call.bindings.size(); ++i)
        if (call.launch->bindings[i].symbol == symbol) return call.bindings[i];
      return std::nullopt;
    };
    if (Result<void> checked = check_grid(kernel, views, bindings, call.grid); !checked) return checked;
    return tile::evaluate(kernel, views, bindings);
  }

 private:
  /// Points along each axis of the kernel's grid, an axis over an iterator that an axis before splits being as long as
  /// that axis's step.
  Result<void> check_grid(const tile::Program& kernel, const std::vector<nest::NamedView>& views,
                          const SymbolValues& bindings, const std::vector<std::int64_t>& received) const {
    const SymbolValues symbols = [&](std::string_view symbol) -> std::optional<std::int64_t> {
      if (const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol))
        for (const nest::NamedView& each : views)
          if (each.name == parsed->tensor && parsed->axis < each.view.rank())
            return parsed->stride ? each.view.strides[parsed->axis] : each.view.shape[parsed->axis];
      return bindings(symbol);
    };
    std::vector<std::int64_t> expected;
    std::vector<IntExpr> lengths;
    for (const tile::Iterator& iter : kernel.iters) lengths.push_back(iter.extent);
    for (const tile::GridAxis& axis : kernel.grid) {
      IntExpr& length = lengths[axis.iter.index];
      expected.push_back(tilewright::evaluate(ceil_div(length, axis.step), symbols).value_or(-1));
      length = axis.step;
    }
    if (expected == received) return {};
    return fail("P105", fmt::format("plan {}: launch {} has the grid [{}]; the kernel's is [{}]", plan_.name,
                                    kernel.name, fmt::join(received, ", "), fmt::join(expected, ", ")));
  }

  const Plan& plan_;
  std::vector<std::unique_ptr<std::byte[], FreeAligned>> memory_;
};

}  // namespace

Result<void> evaluate_plan(const Plan& plan, const std::vector<nest::NamedView>& views) {
  TileExecutor executor(plan);
  return run_plan(plan, views, executor);
}

}  // namespace tilewright::plan
