// What the verifier finds that no text can say: the parser resolves names before it. tests/ir/nest/verify has the rest.
#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

TEST(NestVerify, IdsOutsideTheirTablesAreFoundFirst) {
  const auto code = [](const auto& change) {
    Nest nest = nest_of("o[i] = a[i] + 1", {{"a", DType::f32, {2}}});
    change(nest);
    const Result<void> sound = verify(nest);
    return sound ? std::string("none") : sound.error()[0].code;
  };
  EXPECT_EQ(code([](Nest&) {}), "none");
  EXPECT_EQ(code([](Nest& nest) { nest.output_index[0] = IterId{7}; }), "N040");
  EXPECT_EQ(code([](Nest& nest) { nest.reads[ReadId{0}].tensor = TensorId{7}; }), "N040");
  EXPECT_EQ(code([](Nest& nest) { nest.value = ExprId{99}; }), "N040");
}

}  // namespace
}  // namespace tilewright::nest
