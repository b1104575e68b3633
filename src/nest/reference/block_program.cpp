// Compiles an expression into steps over lanes. See block_program.h.
#include "nest/reference/block_program.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "nest/reference/block_ops.h"
#include "nest/walk.h"
#include "support/diagnostic.h"
#include "support/overloaded.h"

namespace tilewright::nest {
namespace {

void fill(Lane& lane, const Scalar& value) {
  if (value.is_float())
    lane.real.fill(value.as_double());
  else
    lane.integer.fill(value.as_int());
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Sets element `point` of the lane that the type's class uses.
void set(Lane& lane, std::size_t point, const Scalar& value) {
  if (value.is_float())
    lane.real[point] = value.as_double();
  else
    lane.integer[point] = value.as_int();
}

/// Loads every point of the block with `element(address)`, a double or an i64; points outside get `otherwise`.
template <class Element>
Step load_step(const BoundRead& bound, std::size_t read, std::size_t to, const std::optional<Scalar>& otherwise,
               Element element) {
  const bool guarded = otherwise && !bound.slots.empty();
  return [=, data = bound.data](Frame& frame, std::size_t count) {
    Lane& lane = frame.lanes[to];
    const std::vector<std::uint64_t>& offsets = frame.points->offsets[read];
    const std::vector<std::uint8_t>& inside = frame.points->inside[read];
    for (std::size_t point = 0; point < count; ++point) {
      if (guarded && inside[point] == 0) {
        set(lane, point, *otherwise);
        continue;
      }
      const auto value = element(data + static_cast<std::ptrdiff_t>(offsets[point]));
      if constexpr (std::is_same_v<decltype(value), const double>)
        lane.real[point] = value;
      else
        lane.integer[point] = value;
    }
  };
}

template <class T>
double load_real(const std::byte* address) {
  return static_cast<double>(load<T>(address));
}
template <class T>
std::int64_t load_integer(const std::byte* address) {
  return static_cast<std::int64_t>(load<T>(address));
}

Step read_step(const BoundRead& bound, std::size_t read, std::size_t to, const std::optional<Scalar>& otherwise) {
  const auto step = [&](auto element) { return load_step(bound, read, to, otherwise, element); };
  switch (bound.dtype) {
    case DType::f64:
      return step([](const std::byte* address) { return load_real<double>(address); });
    case DType::f32:
      return step([](const std::byte* address) { return load_real<float>(address); });
    case DType::f16:
      return step([](const std::byte* address) { return double{half_to_float(load<std::uint16_t>(address))}; });
    case DType::bf16:
      return step([](const std::byte* address) { return double{bfloat16_to_float(load<std::uint16_t>(address))}; });
    case DType::f8e4m3:
      return step([](const std::byte* address) { return double{f8e4m3_to_float(load<std::uint8_t>(address))}; });
    case DType::f8e5m2:
      return step([](const std::byte* address) { return double{f8e5m2_to_float(load<std::uint8_t>(address))}; });
    case DType::i8:
      return step([](const std::byte* address) { return load_integer<std::int8_t>(address); });
    case DType::u8:
      return step([](const std::byte* address) { return load_integer<std::uint8_t>(address); });
    case DType::i32:
      return step([](const std::byte* address) { return load_integer<std::int32_t>(address); });
    case DType::u32:
      return step([](const std::byte* address) { return load_integer<std::uint32_t>(address); });
    case DType::i64:
      return step([](const std::byte* address) { return load_integer<std::int64_t>(address); });
    case DType::boolean:
      return step([](const std::byte* address) { return std::int64_t{load<std::uint8_t>(address) != 0}; });
  }
  internal_error("reference: unknown element type");
}

/// As load_step, of a tensor that is computed where it is read.
Step compute_step(const BoundRead& bound, const Read& read, std::size_t to, Compute compute) {
  return [=, compute = std::move(compute)](Frame& frame, std::size_t count) {
    std::vector<std::vector<std::uint64_t>> index(read.index.size(), std::vector<std::uint64_t>(count));
    std::vector<bool> outside(count, false);
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      for (std::size_t point = 0; point < count; ++point) {
        std::uint64_t value = static_cast<std::uint64_t>(read.index[axis].constant);
        for (const Affine::Term& term : read.index[axis].terms)
          value += static_cast<std::uint64_t>(term.coefficient) * frame.points->iterators[term.iter.index][point];
        if (read.otherwise && value >= bound.slots[axis].extent) outside[point] = true, value = 0;
        index[axis][point] = value;
      }
    Lane& lane = frame.lanes[to];
    if (std::ranges::find(outside, false) != outside.end()) compute(index, count, lane);  // else it may have no value
    for (std::size_t point = 0; point < count; ++point)
      if (outside[point]) set(lane, point, *read.otherwise);
  };
}

}  // namespace

BlockProgram::BlockProgram(const Nest& nest, const Bindings& bindings, ExprId root, const ComputedTensors& computed)
    : frame_{.lanes = std::vector<Lane>(1)}, reads_(nest.reads.size()), iterators_(nest.iterators.size()) {
  std::vector<std::size_t> lanes(nest.exprs.size());
  walk(nest.exprs, root, [&](ExprId id, const Expr& expr) {
    if (std::holds_alternative<Accumulated>(expr.node)) return;  // lane 0
    const std::size_t to = lanes[id.index] = frame_.lanes.size();
    frame_.lanes.emplace_back();
    std::visit(
        Overloaded{
            [&](const Constant& constant) { fill(frame_.lanes[to], constant.value); },
            [&](const ExtentValue&) { frame_.lanes[to].integer.fill(bindings.constants[id.index]); },
            [&](const Accumulated&) {},
            [&](const ReadValue& value) {
              const std::size_t read = value.read.index;
              const auto computes = computed.find(nest.tensors[nest.reads[value.read].tensor].name);
              if (computes != computed.end()) {
                for (const Affine& slot : nest.reads[value.read].index)
                  for (const Affine::Term& term : slot.terms) iterators_[term.iter.index] = true;
                steps_.push_back(compute_step(bindings.reads[read], nest.reads[value.read], to, computes->second));
                return;
              }
              reads_[read] = true;
              steps_.push_back(read_step(bindings.reads[read], read, to, nest.reads[value.read].otherwise));
            },
            [&](const IterValue& value) {
              iterators_[value.iter.index] = true;
              steps_.push_back([to, iter = value.iter.index](Frame& frame, std::size_t count) {
                for (std::size_t point = 0; point < count; ++point)
                  frame.lanes[to].integer[point] = static_cast<std::int64_t>(frame.points->iterators[iter][point]);
              });
            },
            [&](const CastExpr& cast) {
              steps_.push_back(cast_step(nest.exprs[cast.operand].dtype, expr.dtype, to, lanes[cast.operand.index]));
            },
            [&](const ApplyExpr& apply) {
              std::vector<std::size_t> sources;
              for (ExprId operand : apply.operands) sources.push_back(lanes[operand.index]);
              steps_.push_back(apply_step(apply.op, nest.exprs[apply.operands.back()].dtype, to, sources));
            }},
        expr.node);
  });
  result_ = unrounded_ = lanes[root.index];
  const CastExpr* last = std::get_if<CastExpr>(&nest.exprs[root].node);
  if (last && is_floating(nest.exprs[root].dtype) && is_floating(nest.exprs[last->operand].dtype))
    unrounded_ = lanes[last->operand.index];
}

const Lane& BlockProgram::run(const PointBlock& points, std::size_t count) {
  frame_.points = &points;
  for (const Step& step : steps_) step(frame_, count);
  return frame_.lanes[result_];
}

}  // namespace tilewright::nest
