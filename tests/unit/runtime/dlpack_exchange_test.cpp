// DLPack: what a producer may hand over, what is refused, who owns what and when.
#include "runtime/dlpack_exchange.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code;
}

/// A producer's tensor over 24 floats 0, 1, 2, … that counts the calls of its deleter.
template <class Managed>
struct Producer {
  std::array<float, 24> values{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  int deletions = 0;
  Managed managed{};

  Producer(std::vector<std::int64_t> shape_in, std::vector<std::int64_t> strides_in)
      : shape(std::move(shape_in)), strides(std::move(strides_in)) {
    std::iota(values.begin(), values.end(), 0.0F);
    managed.dl_tensor = {.data = values.data(),
                         .device = {1, 0},
                         .ndim = static_cast<std::int32_t>(shape.size()),
                         .dtype = {dlpack::type_float, 32, 1},
                         .shape = shape.data(),
                         .strides = strides.empty() ? nullptr : strides.data(),
                         .byte_offset = 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deletions; };
    if constexpr (requires { managed.version; }) managed.version = {1, 3};
  }
};
using Versioned = Producer<dlpack::ManagedTensorVersioned>;
using Unversioned = Producer<dlpack::ManagedTensor>;

TEST(DlpackExchange, NullStridesAreRowMajorAndTheOffsetCounts) {
  Versioned producer({2, 3}, {});
  producer.managed.dl_tensor.byte_offset = 16;
  {
    const Tensor tensor = from_dlpack(&producer.managed).value();
    EXPECT_EQ(tensor.at<float>({0, 0}), 4.0F);
    EXPECT_EQ(tensor.at<float>({1, 2}), 9.0F);
    EXPECT_EQ(tensor.strides(), (Shape{3, 1}));
    EXPECT_FALSE(tensor.is_read_only());
    const Tensor view = tensor.select(0, 1).value();
    EXPECT_EQ(producer.deletions, 0);
  }
  EXPECT_EQ(producer.deletions, 1);
}

TEST(DlpackExchange, UnversionedWithStridesAndWithoutDeleter) {
  Unversioned producer({3, 2}, {1, -4});
  producer.managed.dl_tensor.byte_offset = 80;
  EXPECT_EQ(from_dlpack(&producer.managed)->at<float>({2, 1}), 18.0F);
  EXPECT_EQ(producer.deletions, 1);
  producer.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&producer.managed)->at<float>({0, 0}), 20.0F);
}

TEST(DlpackExchange, NoElementsNeedNoData) {
  Versioned producer({1, 8, 0, 128}, {});
  producer.managed.dl_tensor.data = nullptr;
  const Tensor tensor = from_dlpack(&producer.managed).value();
  EXPECT_EQ(tensor.shape(), (Shape{1, 8, 0, 128}));
  EXPECT_EQ(tensor.element_count(), 0);
}

TEST(DlpackExchange, ReadOnlyFlagIsKept) {
  Versioned producer({4}, {});
  producer.managed.flags = dlpack::flag_read_only;
  const Tensor tensor = from_dlpack(&producer.managed).value();
  EXPECT_TRUE(tensor.is_read_only());
  EXPECT_TRUE(tensor.slice(0, {.stop = 2})->is_read_only());
  EXPECT_EQ(code_of(to_unversioned_dlpack(tensor)), "R024");
  dlpack::ManagedTensorVersioned* exported = to_dlpack(tensor);
  EXPECT_EQ(exported->flags, dlpack::flag_read_only);
  exported->deleter(exported);
}

TEST(DlpackExchange, RefusalLeavesOwnershipWithTheCaller) {
  const auto refused = [](auto&& change) {
    Versioned producer({2, 3}, {3, 1});
    change(producer.managed);
    const std::string code = code_of(from_dlpack(&producer.managed));
    EXPECT_EQ(producer.deletions, 0) << code;
    return code;
  };
  using Managed = dlpack::ManagedTensorVersioned;
  EXPECT_EQ(code_of(from_dlpack(static_cast<Managed*>(nullptr))), "R020");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.ndim = -1; }), "R020");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.shape = nullptr; }), "R020");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.ndim = 1 << 30; }), "R001");
  EXPECT_EQ(refused([](Managed& m) { m.version.major = 2; }), "R021");
  EXPECT_EQ(refused([](Managed& m) { m.version.major = 0; }), "R021");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.dtype.lanes = 4; }), "R022");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.dtype.bits = 128; }), "R022");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.dtype.code = 5; }), "R022");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.device.device_type = 4; }), "R023");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.data = nullptr; }), "R007");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.byte_offset = 3; }), "R008");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.shape[0] = -2; }), "R002");
  EXPECT_EQ(refused([](Managed& m) { m.dl_tensor.strides[0] = std::numeric_limits<std::int64_t>::max(); }), "R006");
}

TEST(DlpackExchange, ExportDescribesAndOwns) {
  auto owner = std::make_shared<std::array<float, 6>>();
  std::weak_ptr<std::array<float, 6>> watch = owner;
  dlpack::ManagedTensorVersioned* exported = nullptr;
  {
    const Tensor tensor = Tensor::borrow({.data = owner->data(), .shape = {2, 3}, .keep_alive = owner}).value();
    exported = to_dlpack(tensor.slice(1, {.step = -1}).value());
  }
  const float* data = owner->data();
  owner.reset();
  ASSERT_FALSE(watch.expired());
  EXPECT_EQ(exported->version.major, 1U);
  EXPECT_EQ(exported->flags, 0U);
  const dlpack::Tensor& described = exported->dl_tensor;
  EXPECT_EQ(described.data, data + 2);
  EXPECT_EQ(described.byte_offset, 0U);
  EXPECT_EQ(described.device.device_type, 1);
  ASSERT_EQ(described.ndim, 2);
  EXPECT_EQ(described.shape[1], 3);
  EXPECT_EQ(described.strides[0], 3);
  EXPECT_EQ(described.strides[1], -1);
  exported->deleter(exported);
  EXPECT_TRUE(watch.expired());
}

TEST(DlpackExchange, EveryElementTypeHasItsCodeAndComesBack) {
  struct Case {
    DType dtype;
    int code;
    int bits;
  };
  const std::array<Case, 12> cases{{{DType::f64, 2, 64},
                                    {DType::f32, 2, 32},
                                    {DType::f16, 2, 16},
                                    {DType::bf16, 4, 16},
                                    {DType::f8e4m3, 10, 8},
                                    {DType::f8e5m2, 12, 8},
                                    {DType::i8, 0, 8},
                                    {DType::u8, 1, 8},
                                    {DType::i32, 0, 32},
                                    {DType::u32, 1, 32},
                                    {DType::i64, 0, 64},
                                    {DType::boolean, 6, 8}}};
  for (const Case& c : cases) {
    const Tensor tensor = Tensor::allocate(c.dtype, {2}).value();
    dlpack::ManagedTensor* exported = to_unversioned_dlpack(tensor).value();
    EXPECT_EQ(exported->dl_tensor.dtype.code, c.code) << name(c.dtype);
    EXPECT_EQ(exported->dl_tensor.dtype.bits, c.bits) << name(c.dtype);
    EXPECT_EQ(exported->dl_tensor.dtype.lanes, 1) << name(c.dtype);
    const Tensor back = from_dlpack(exported).value();
    EXPECT_EQ(back.dtype(), c.dtype);
    EXPECT_EQ(back.data(), tensor.data());
  }
}

}  // namespace
}  // namespace tilewright
