// When a product's misaligned operands are copied first, and where the copies lie.
#include "nest/passes/repack_operands.h"

#include <functional>
#include <numeric>

#include "nest_fixture.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

struct Operand {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::f32;
  std::vector<std::int64_t> strides = {};  ///< empty: row-major
};

struct Decided {
  Nest nest;
  Facts facts;
  OperandCopies repacked;

  std::vector<std::string> copies() const {
    std::vector<std::string> names;
    for (const OperandCopy& each : repacked.operands) names.push_back(each.nest.name);
    return names;
  }
};

Decided decide(std::string_view text, const std::vector<Operand>& operands,
               const GpuTarget& target = *gpu_target_named("sm_90a")) {
  std::vector<lang::OperandType> types;
  std::vector<TensorView> views;
  for (const Operand& each : operands) {
    types.push_back({each.name, each.dtype, each.shape});
    views.push_back(
        {nullptr, each.dtype, each.shape, each.strides.empty() ? row_major_strides(each.shape) : each.strides});
  }
  Decided decided{nest_of(text, types), {}, {}};
  decided.nest.schedule.automatic = true;
  std::vector<std::int64_t> shape;
  for (const IterId iter : decided.nest.output_index)
    shape.push_back(*evaluate(decided.nest.iterators[iter].extent, [&](std::string_view name) {
      const auto symbol = parse_tensor_symbol(name);
      for (const Operand& each : operands)
        if (each.name == symbol->tensor) return std::optional(each.shape[symbol->axis]);
      return std::optional<std::int64_t>();
    }));
  const TensorView output{nullptr, decided.nest.output, shape, row_major_strides(shape)};
  decided.facts = gather_facts(decided.nest, views, output, VectorLoads::aligned);
  decided.repacked = repack_operands(decided.nest, decided.facts, target);
  EXPECT_TRUE(verify(decided.nest));
  for (const OperandCopy& each : decided.repacked.operands) EXPECT_TRUE(verify(each.nest));
  return decided;
}

using Names = std::vector<std::string>;
const std::string matrices = "c[i, j] ++= a[i, k] * b[k, j]";

TEST(RepackOperands, CopiesWhatManyBlocksShare) {
  EXPECT_EQ(decide(matrices, {{"a", {4095, 4099}}, {"b", {4099, 4097}}}).copies(), (Names{"a.packed", "b.packed"}));
  // Aligned rows; a small product; few columns, then few rows.
  EXPECT_EQ(decide(matrices, {{"a", {4095, 4096}}, {"b", {4096, 4100}}}).copies(), Names{});
  EXPECT_EQ(decide(matrices, {{"a", {511, 513}}, {"b", {513, 515}}}).copies(), Names{});
  EXPECT_EQ(decide(matrices, {{"a", {8191, 8193}}, {"b", {8193, 17}}}).copies(), Names{});
  EXPECT_EQ(decide(matrices, {{"a", {17, 8193}}, {"b", {8193, 8191}}}).copies(), Names{});
  EXPECT_EQ(decide("c[i] ++= a[i, k] * b[k]", {{"a", {8191, 8193}}, {"b", {8193}}}).copies(), Names{});
  // Of a batch each matrix counts by itself.
  EXPECT_EQ(decide("c[b, i, j] ++= x[b, i, k] * y[b, k, j]", {{"x", {4096, 63, 65}}, {"y", {4096, 65, 67}}}).copies(),
            Names{});
}

TEST(RepackOperands, GoesByThePiecesThatRowsAllow) {
  const auto f16 = [](std::int64_t terms) {
    return decide(matrices, {{"a", {2048, terms}, DType::f16}, {"b", {terms, 2048}, DType::f16}});
  };
  EXPECT_EQ(f16(2047).copies(), Names{"a.packed"});
  ASSERT_EQ(f16(2047).repacked.reasons.size(), 1U);
  EXPECT_NE(f16(2047).repacked.reasons[0].find("rows of a allow copies of 2 bytes at a time, repacked"),
            std::string::npos);
  EXPECT_EQ(f16(2040).copies(), Names{});  // 16 bytes
  EXPECT_TRUE(f16(2040).repacked.reasons.empty());
  // Pieces of 8 bytes cost little, and a small product says why it keeps them.
  const Decided small = decide(matrices, {{"a", {1024, 1020}, DType::f16}, {"b", {1020, 1024}, DType::f16}});
  EXPECT_EQ(small.copies(), Names{});
  ASSERT_EQ(small.repacked.reasons.size(), 1U);
  EXPECT_NE(small.repacked.reasons[0].find("rows of a allow copies of 8 bytes at a time, not worth repacking"),
            std::string::npos);
}

/// The copy's strides and elements for these extents of x.
std::vector<std::int64_t> laid_out(const OperandCopy& repack, const std::vector<std::int64_t>& extents) {
  const SymbolValues values = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto symbol = parse_tensor_symbol(name);
    if (!symbol || symbol->tensor != "x" || symbol->stride) return std::nullopt;
    return extents.at(symbol->axis);
  };
  std::vector<std::int64_t> result;
  for (const IntExpr& stride : repack.strides) result.push_back(evaluate(stride, values).value());
  result.push_back(evaluate(repack.elements, values).value());
  return result;
}

TEST(RepackOperands, PadsRowsTo128Bytes) {
  const std::string text = "c[b, i, j] ++= x[b, i, k] * y[b, k, j]";
  const Operand y{"y", {5, 2001, 2048}};
  using Numbers = std::vector<std::int64_t>;
  const Decided last = decide(text, {{"x", {5, 2003, 2001}}, y});
  ASSERT_EQ(last.copies(), Names{"x.packed"});
  EXPECT_EQ(laid_out(last.repacked.operands[0], {5, 2003, 2001}), (Numbers{2003 * 2016, 2016, 1, 5 * 2003 * 2016}));
  EXPECT_EQ(laid_out(last.repacked.operands[0], {5, 2003, 1985}), (Numbers{2003 * 2016, 2016, 1, 5 * 2003 * 2016}));
  EXPECT_EQ(laid_out(last.repacked.operands[0], {5, 2003, 1984}), (Numbers{2003 * 1984, 1984, 1, 5 * 2003 * 1984}));
  // The middle axis is contiguous: it becomes the rows, and the others keep their order.
  const Decided middle = decide(text, {{"x", {5, 2003, 2001}, DType::f32, {2003 * 2001, 1, 2003}}, y});
  ASSERT_EQ(middle.copies(), Names{"x.packed"});
  EXPECT_EQ(laid_out(middle.repacked.operands[0], {5, 2003, 2001}), (Numbers{2001 * 2016, 1, 2016, 5 * 2001 * 2016}));
  EXPECT_EQ(middle.facts.operands[0],
            (TensorFacts{{StrideClass::other, StrideClass::one, StrideClass::other}, 64, 64}));
  EXPECT_EQ(middle.repacked.operands[0].facts.output, middle.facts.operands[0]);
  EXPECT_EQ(middle.repacked.operands[0].facts.operands[0].stride_align, 4U);
  EXPECT_EQ(middle.repacked.operands[0].facts.size_buckets, (Numbers{8, 2048, 2048}));
}

TEST(RepackOperands, KeepsToTheMemoryThatItMayTake) {
  const std::vector<Operand> operands{{"a", {4095, 4099}}, {"b", {4099, 4097}}};
  GpuTarget target = *gpu_target_named("sm_90a");
  // By the facts' bounds, a takes up to 4096 rows of 8192 elements, b up to 8192.
  target.most_repacked_bytes = (std::int64_t{4096} * 8192 + std::int64_t{8192} * 8192) * 4;
  EXPECT_EQ(decide(matrices, operands, target).copies().size(), 2U);
  --target.most_repacked_bytes;
  const Decided less = decide(matrices, operands, target);
  EXPECT_EQ(less.copies(), Names{"a.packed"});
  EXPECT_NE(less.repacked.reasons.at(1).find("not repacked: its copy may take more than the 268435455 bytes left of "
                                             "402653183"),
            std::string::npos)
      << less.repacked.reasons.at(1);
  // A bucket that has no upper bound.
  const Decided huge = decide(matrices, {{"a", {2049, (1 << 24) + 1}}, {"b", {(1 << 24) + 1, 2048}}});
  EXPECT_EQ(huge.copies(), Names{});
  EXPECT_EQ(huge.repacked.reasons.size(), 1U);
}

}  // namespace
}  // namespace tilewright::nest
