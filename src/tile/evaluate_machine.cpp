// State of the tile evaluator. See evaluate_machine.h.
#include "tile/evaluate_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tilewright::tile {

void Cells::resize(std::size_t count, DType dtype) {
  reals.assign(is_floating(dtype) ? count : 0, 0.0);
  integers.assign(is_floating(dtype) ? 0 : count, 0);
  poisoned.assign(count, 1);
}

void Cells::copy_element(std::size_t to, const Cells& from, std::size_t at) {
  poisoned[to] = from.poisoned[at];
  if (reals.empty())
    integers[to] = from.integers[at];
  else
    reals[to] = from.reals[at];
}

void Cells::set(std::size_t at, Scalar value) {
  poisoned[at] = 0;
  if (reals.empty())
    integers[at] = std::get<std::int64_t>(value.value);
  else
    reals[at] = std::get<double>(value.value);
}

Scalar Cells::get(std::size_t at) const {
  return reals.empty() ? Scalar::of(integers[at]) : Scalar::of(reals[at]);
}

bool TensorState::contains(const Index& index) const {
  for (std::size_t axis = 0; axis < view.rank(); ++axis)
    if (index[axis] < 0 || index[axis] >= view.shape[axis]) return false;
  return true;
}

std::size_t TensorState::row_major(const Index& index) const {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < view.rank(); ++axis) at = at * view.shape[axis] + index[axis];
  return static_cast<std::size_t>(at);
}

std::byte* TensorState::address(const Index& index) const {
  std::int64_t elements = 0;
  for (std::size_t axis = 0; axis < view.rank(); ++axis) elements += index[axis] * view.strides[axis];
  return view.data + elements * static_cast<std::int64_t>(size_of(view.dtype));
}

std::int64_t BufferState::offset(const std::vector<std::int64_t>& relative) const {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const AxisState& axis = axes[i];
    if (relative[i] < 0 || relative[i] >= axis.capacity) return -1;
    at += relative[i] / axis.inner * axis.outer_stride + relative[i] % axis.inner * axis.inner_stride;
  }
  return at >= 0 && at < elements ? at : -1;
}

std::int64_t Machine::resolve(const IntExpr& expr, std::string_view what) {
  if (const std::optional<std::int64_t> value = tilewright::evaluate(expr, symbols)) return *value;
  std::unexpected<Diagnostics> found =
      fail("T108", fmt::format("tile {}: {}, '{}', has no value for these tensors", program.name, what, to_text(expr)));
  std::ranges::move(found.error(), std::back_inserter(errors));
  return 1;
}

bool Machine::stop(std::string_view code, const Op& op, const std::string& message) {
  errors.push_back({std::string(code),
                    fmt::format("tile {}: `{}`: {}", program.name, to_text(program, op), message),
                    "",
                    nullptr,
                    {}});
  return false;
}

std::string Machine::coordinates(const std::vector<Axis>& axes, std::size_t element) const {
  std::vector<std::int64_t> at(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(axes[i].size);
    at[i] = scope(axes[i].iter).base + axes[i].offset(static_cast<std::int64_t>(element % size));
    element /= size;
  }
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", program.iters[axes[i].iter].name, at[i]);
  // Iterators that are no axis stand at their bases; they tell which grid point and iteration it was.
  for (std::uint32_t i = 0; i < scopes.size(); ++i) {
    bool is_axis = false;
    for (const Axis& axis : axes) is_axis |= axis.iter.index == i;
    if (!is_axis)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", program.iters[IterId{i}].name, scope(IterId{i}).base);
  }
  return text;
}

bool Machine::check_coverage(const Op& op, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    const Scope at = scopes[axis.iter.index];
    const std::int64_t size = covered(axis.iter, axis.size);
    if (at.limit - at.base > size)
      return stop("T106", op,
                  fmt::format("axis {} has size {}, but its scope here is [{}, {})", program.iters[axis.iter].name,
                              size, at.base, at.limit));
  }
  return true;
}

std::size_t element_count(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= static_cast<std::size_t>(axis.size);
  return count;
}

namespace {

/// For each element of `space`, row-major, Σ position · stride.
std::vector<std::uint32_t> linear_positions(const std::vector<Axis>& space, const std::vector<std::uint32_t>& strides) {
  std::vector<std::uint32_t> positions(element_count(space));
  std::vector<std::uint32_t> at(space.size(), 0);
  std::uint32_t sum = 0;
  for (std::uint32_t& position : positions) {
    position = sum;
    for (std::size_t axis = space.size(); axis-- > 0;) {
      sum += strides[axis];
      if (++at[axis] < static_cast<std::uint32_t>(space[axis].size)) break;
      sum -= strides[axis] * at[axis];
      at[axis] = 0;
    }
  }
  return positions;
}

}  // namespace

std::vector<std::uint32_t> positions_in(const std::vector<Axis>& space, const std::vector<Axis>& axes) {
  std::vector<std::uint32_t> strides(space.size(), 0);
  std::uint32_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    for (std::size_t j = 0; j < space.size(); ++j)
      if (space[j].iter == axes[i].iter) strides[j] = stride;
    stride *= static_cast<std::uint32_t>(axes[i].size);
  }
  return linear_positions(space, strides);
}

std::vector<std::uint32_t> positions_along(const std::vector<Axis>& space, IterId iter) {
  std::vector<std::uint32_t> strides(space.size(), 0);
  for (std::size_t j = 0; j < space.size(); ++j)
    if (space[j].iter == iter) strides[j] = 1;
  std::vector<std::uint32_t> positions = linear_positions(space, strides);
  for (const Axis& axis : space)
    if (axis.iter == iter)
      for (std::uint32_t& position : positions) position = static_cast<std::uint32_t>(axis.offset(position));
  return positions;
}

}  // namespace tilewright::tile
