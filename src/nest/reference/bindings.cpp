// Views against the nest's tensors, extents against each other, and every index against its tensor. See bindings.h.
#include "nest/reference/bindings.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace tilewright::nest {
namespace {

__extension__ using Wide = __int128;
constexpr Wide far = Wide{1} << 110;  ///< beyond every legal index; sums of many such terms stay in 128 bits

class ViewBinder {
 public:
  ViewBinder(const Nest& nest, const std::vector<NamedView>& operands) : nest_(nest), operands_(operands) {}

  Result<Bindings> run() {
    for (const Tensor& tensor : nest_.tensors)
      if (auto found = find_view(tensor); !found) return std::unexpected(std::move(found.error()));
    for (const Iterator& iterator : nest_.iterators) {
      const std::optional<std::int64_t> extent = value_of(iterator.extent);
      if (!extent || *extent < 0)
        return fail("N003", fmt::format("the extent {} of '{}' has no value for these operands",
                                        to_text(iterator.extent), iterator.name));
      bindings_.extents.push_back(*extent);
    }
    for (const Read& read : nest_.reads) {
      if (auto checked = check_read(read); !checked) return std::unexpected(std::move(checked.error()));
      bindings_.reads.push_back(bind_read(read));
    }
    return bind_constants();
  }

 private:
  Result<void> find_view(const Tensor& tensor) {
    auto found = std::ranges::find(operands_, tensor.name, &NamedView::name);
    if (found == operands_.end())
      return fail("N001", fmt::format("operand '{}' of '{}' is missing", tensor.name, nest_.name));
    const TensorView& view = found->view;
    if (view.dtype != tensor.dtype || static_cast<int>(view.rank()) != tensor.rank)
      return fail("N002", fmt::format("operand '{}' is {} of rank {}", tensor.name, name(view.dtype), view.rank()),
                  fmt::format("the nest reads {} of rank {}", name(tensor.dtype), tensor.rank));
    views_.push_back(&view);
    return {};
  }

  std::optional<std::int64_t> value_of(const IntExpr& expr) const {
    return tilewright::evaluate(expr, [&](std::string_view symbol) { return symbol_value(symbol); });
  }

  /// "a.1": the extent of axis 1 of `a`.
  std::optional<std::int64_t> symbol_value(std::string_view symbol) const {
    const std::size_t dot = symbol.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    std::size_t axis = 0;
    const std::string_view digits = symbol.substr(dot + 1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), axis);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
    for (std::uint32_t index = 0; index < nest_.tensors.size(); ++index)
      if (nest_.tensors[TensorId{index}].name == symbol.substr(0, dot) && axis < views_[index]->rank())
        return views_[index]->shape[axis];
    return std::nullopt;
  }

  Result<void> check_read(const Read& read) const {
    const TensorView& view = *views_[read.tensor.index];
    const std::string& tensor = nest_.tensors[read.tensor].name;
    for (std::size_t axis = 0; axis < read.index.size(); ++axis) {
      const Affine& index = read.index[axis];
      const bool bare = index.terms.size() == 1 && index.constant == 0 && index.terms[0].coefficient == 1;
      if (bare && !read.otherwise && bindings_.extents[index.terms[0].iter.index] != view.shape[axis])
        return fail("N004", fmt::format("axis {} of '{}' has extent {} and iterator '{}' has extent {}", axis, tensor,
                                        view.shape[axis], nest_.iterators[index.terms[0].iter].name,
                                        bindings_.extents[index.terms[0].iter.index]));
      Wide low = index.constant;
      Wide high = index.constant;
      bool empty = false;
      for (const Affine::Term& term : index.terms) {
        const std::int64_t extent = bindings_.extents[term.iter.index];
        empty |= extent == 0;
        const Wide last = std::clamp(Wide{term.coefficient} * (Wide{extent} - 1), -far, far);
        (term.coefficient < 0 ? low : high) += last;
      }
      const Wide first_legal = read.otherwise ? Wide{std::numeric_limits<std::int64_t>::min()} : Wide{0};
      const Wide last_legal =
          read.otherwise ? Wide{std::numeric_limits<std::int64_t>::max()} : Wide{view.shape[axis]} - 1;
      if (!empty && (low < first_legal || high > last_legal))
        return fail("N005", fmt::format("index {} of '{}' leaves its extent {}", axis, tensor, view.shape[axis]));
    }
    return {};
  }

  BoundRead bind_read(const Read& read) const {
    const TensorView& view = *views_[read.tensor.index];
    BoundRead bound{.data = view.data, .dtype = view.dtype, .offset = {}, .slots = {}};
    bound.offset.coefficients.assign(nest_.iterators.size(), 0);
    for (std::size_t axis = 0; axis < read.index.size(); ++axis) {
      const std::uint64_t bytes =
          static_cast<std::uint64_t>(view.strides[axis]) * static_cast<std::uint64_t>(size_of(view.dtype));
      Linear slot{.constant = static_cast<std::uint64_t>(read.index[axis].constant),
                  .coefficients = std::vector<std::uint64_t>(nest_.iterators.size(), 0)};
      for (const Affine::Term& term : read.index[axis].terms)
        slot.coefficients[term.iter.index] = static_cast<std::uint64_t>(term.coefficient);
      bound.offset.constant += slot.constant * bytes;
      for (std::size_t iter = 0; iter < slot.coefficients.size(); ++iter)
        bound.offset.coefficients[iter] += slot.coefficients[iter] * bytes;
      if (read.otherwise) bound.slots.push_back({std::move(slot), static_cast<std::uint64_t>(view.shape[axis])});
    }
    return bound;
  }

  Result<Bindings> bind_constants() {
    for (const Expr& expr : nest_.exprs) {
      const ExtentValue* extent = std::get_if<ExtentValue>(&expr.node);
      const std::optional<std::int64_t> value = extent ? value_of(extent->value) : 0;
      if (!value)
        return fail("N003", fmt::format("the extent {} has no value for these operands", to_text(extent->value)));
      bindings_.constants.push_back(*value);
    }
    return std::move(bindings_);
  }

  const Nest& nest_;
  const std::vector<NamedView>& operands_;
  std::vector<const TensorView*> views_;  ///< by TensorId
  Bindings bindings_;
};

}  // namespace

Result<Bindings> bind_views(const Nest& nest, const std::vector<NamedView>& operands) {
  return ViewBinder(nest, operands).run();
}

}  // namespace tilewright::nest
