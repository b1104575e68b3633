// The verifier: each invariant broken once, and only that one reported.
#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

struct Case {
  const char* name;
  const char* body;   ///< of a kernel with the parameters below
  const char* codes;  ///< all that are reported
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class KernelVerify : public testing::TestWithParam<Case> {};

TEST_P(KernelVerify, ReportsExactlyItsCodes) {
  const Kernel kernel = read_kernel(std::string("kernel k(%p: ptr, %r: ptr readonly, %n: i64, %c: i1) {\n"
                                                "  %f = constant f32 1\n"
                                                "  %v = constant f32x4 1\n"
                                                "  %m = constant i1x4 1\n"
                                                "  %o = constant i64x4 8\n") +
                                    GetParam().body + "}\n");
  const Result<void> result = verify(kernel);
  EXPECT_EQ(codes(result), GetParam().codes) << (result ? "" : render(result.error()));
}

INSTANTIATE_TEST_SUITE_P(
    Scope, KernelVerify,
    testing::Values(Case{"after_its_loop", "for %i = %n to %n step %n { %x = add i64 %i, %n } %y = add i64 %x, %n",
                         "K010"},
                    Case{"other_branch", "if %c { %x = add i64 %n, %n } else { %y = add i64 %x, %n }", "K010"},
                    Case{"induction_after", "for %i = %n to %n step %n { } %y = add i64 %i, %n", "K010"},
                    Case{"inner_sees_outer", "for %i = %n to %n step %n { if %c { %y = add i64 %i, %n } }", ""},
                    Case{"local_in_loop", "for %i = %n to %n step %n { %y = local ptr bytes 8 }", "K019"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Types, KernelVerify,
    testing::Values(
        Case{"same_mixed", "%x = add i64 %n, %f", "K013"}, Case{"same_result", "%x = add f32x4 %f, %f", "K013"},
        Case{"same_pointer", "%x = add ptr %p, %p", "K013"}, Case{"int_of_float", "%x = sdiv f32 %f, %f", "K013"},
        Case{"float_of_int", "%x = sqrt i64 %n", "K013"}, Case{"cmp_class", "%x = cmp oeq i64 %n, %n", "K013"},
        Case{"cmp_mixed", "%x = cmp eq i64 %n, %c", "K013"}, Case{"select_mask", "%x = select f32x4 %m, %v, %v", ""},
        Case{"select_scalar", "%x = select f32x4 %c, %v, %v", ""},
        Case{"select_lanes", "%x = select f32 %m, %f, %f", "K013"},
        Case{"select_condition", "%x = select f32 %n, %f, %f", "K013"},
        Case{"trunc_wider", "%x = trunc i64 %c", "K013"}, Case{"sext_narrower", "%x = sext i8 %n", "K013"},
        Case{"fconvert_same", "%x = fconvert f32 %f", "K013"}, Case{"lanes_change", "%x = fptosi i32x2 %v", "K013"},
        Case{"bitcast_size", "%x = bitcast i64 %f", "K013"}, Case{"bitcast_address", "%x = bitcast i64 %p", ""},
        Case{"bitcast_to_pointer", "%x = bitcast ptr %n", "K013"}, Case{"splat_scalar", "%x = splat f32 %f", "K013"},
        Case{"iota_float", "%x = iota f32x4", "K013"}, Case{"offset_int", "%x = offset ptr %p, %c", "K013"},
        Case{"load_bool", "%x = load i1 %p align 1", "K013"}, Case{"load_value", "%x = load f32 %n align 4", "K013"},
        Case{"load_mask_lanes", "%x = load f32x2 %p, %m align 4", "K013"},
        Case{"load_masked", "%x = load f32x4 %p, %m align 4", ""},
        Case{"gather_offsets", "%x = gather f32x2 %p, %o align 4", "K013"},
        Case{"gather_scalar", "%x = gather f32 %p, %n align 4", "K013"}, Case{"condition", "if %n { }", "K013"},
        Case{"loop_bound", "for %i = %n to %c step %n { }", "K013"},
        Case{"pointer_constant", "%x = constant ptr 0", "K013"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Shapes, KernelVerify,
    testing::Values(Case{"operands", "%x = add i64 %n, %n, %n", "K011"}, Case{"no_operands", "%x = add i64", "K011"},
                    Case{"load_operands", "%x = load f32x4 %p, %m, %m align 4", "K011"},
                    Case{"store_operands", "store f32 %f align 4", "K011"},
                    Case{"lane", "%x = extract f32 %v lane 4", "K014"},
                    Case{"shuffle_lane", "%x = shuffle f32x2 %v, %v lanes [0, 8]", "K014"},
                    Case{"shuffle_count", "%x = shuffle f32x2 %v, %v lanes [0, 1, 2]", "K014"},
                    Case{"local_empty", "%x = local ptr bytes 0", "K014"},
                    Case{"early_yield", "yield if %c { }", "K015"}, Case{"body_yields", "yield %n", "K015"},
                    Case{"if_types", "%x = if %c { yield %n } else { yield %f }", "K015"},
                    Case{"if_count", "%x = if %c { yield %n }", "K015"},
                    Case{"loop_types", "%x = for %i = %n to %n step %n carry %a = %f { yield %i }", "K013"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Memory, KernelVerify,
    testing::Values(Case{"align", "%x = load f32 %p align 3", "K016"},
                    Case{"nontemporal", "store f32x4 %v, %p align 16 nontemporal", ""},
                    Case{"nontemporal_align", "store f32x4 %v, %p align 8 nontemporal", "K016"},
                    Case{"nontemporal_mask", "store f32x4 %v, %p, %m align 16 nontemporal", "K016"},
                    Case{"readonly", "store f32 %f, %r align 4", "K017"},
                    Case{"readonly_offset", "%x = offset ptr %r, %n scatter f32x4 %v, %x, %o align 4", "K017"},
                    Case{"readonly_select", "%x = select ptr %c, %p, %r store f32 %f, %x align 4", "K017"},
                    Case{"readonly_rotated",
                         "%x, %y = for %i = %n to %n step %n carry %a = %p, %b = %r { store f32 %f, %a align 4 "
                         "yield %b, %a }",
                         "K017"},
                    Case{"readonly_read", "%x = load f32 %r align 4 store f32 %x, %p align 4", ""}),
    [](const auto& info) { return info.param.name; });

TEST(KernelVerifySignature, ParametersAreScalars) {
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: i64x2) { }"))), "K018");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: f32) { }"))), "K018");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: ptrx2) { }"))), "K018 K018");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: i64 align 8) { }"))), "K018");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: ptr align 48) { }"))), "K016");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%v: ptr readonly noalias align 64, %n: i8) { }"))), "");
}

TEST(KernelVerifyTables, IdsOutsideTheTablesAreReported) {
  Kernel kernel = read_kernel("kernel k(%n: i64) { %x = add i64 %n, %n }");
  kernel.body.ops[0].operands[1] = ValueId{1000};
  EXPECT_EQ(codes(verify(kernel)), "K010");
  kernel.body.ops[0].operands[1] = ValueId{0};
  kernel.body.ops[0].results[0] = ValueId{0};
  EXPECT_EQ(codes(verify(kernel)), "K012");
}

TEST(KernelVerifyTables, AttributesOfAnotherKindAreReported) {
  Kernel kernel = read_kernel("kernel k(%n: i64) { %x = cmp eq i64 %n, %n }");
  kernel.body.ops[0].attribute = Lane{0};
  EXPECT_EQ(codes(verify(kernel)), "K014");
}

TEST(KernelVerifyTables, ConstantsAreValuesOfTheirType) {
  Kernel kernel = read_kernel("kernel k() { %x = constant i8 1 %y = constant f16 1 }");
  kernel.body.ops[0].attribute = Scalar::of(std::int64_t{300});
  kernel.body.ops[1].attribute = Scalar::of(0.1);
  EXPECT_EQ(codes(verify(kernel)), "K014 K014");
  kernel.body.ops[0].attribute = Scalar::of(1.0);
  kernel.body.ops[1].attribute = Scalar::of(0.5);
  EXPECT_EQ(codes(verify(kernel)), "K014");
}

TEST(KernelVerifyTables, ARegionNeedsItsYield) {
  Kernel kernel = read_kernel("kernel k(%n: i64) { for %i = %n to %n step %n { } }");
  kernel.body.ops[0].regions[0].ops.clear();
  EXPECT_EQ(codes(verify(kernel)), "K015");
  kernel.body.ops[0].regions.clear();
  EXPECT_EQ(codes(verify(kernel)), "K015");
}

TEST(KernelVerifyMessage, ShowsTheOp) {
  const Result<void> result = verify(read_kernel("kernel k(%n: i64) { %x = sqrt i64 %n }"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error()[0].message, "sqrt does not take these types (i64 -> i64), in: %x = sqrt i64 %n");
}

}  // namespace
}  // namespace tilewright::kernel
