// The public Tensor: making, elements, existing memory, views, files.
#include "tilewright/tensor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "raised.h"

namespace tilewright {
namespace {

TEST(Tensor, made_tensors_hold_what_was_asked_for) {
  const Tensor zeros = Tensor::zeros(DType::i32, {2, 3});
  EXPECT_EQ(zeros.shape(), (Shape{2, 3}));
  EXPECT_EQ(zeros.strides(), (Strides{3, 1}));
  EXPECT_EQ(zeros.byte_size(), 24);
  for (std::int32_t element : zeros.elements<std::int32_t>()) EXPECT_EQ(element, 0);
  EXPECT_EQ(Tensor::full(DType::f16, {2}, 1.5).at<std::uint16_t>(1), 0x3E00);
  EXPECT_EQ(Tensor::arange(DType::i64, {2, 3}, 10, -2).at<std::int64_t>(1, 2), 0);
  EXPECT_EQ(Tensor::arange(DType::f32, {2, 3}).value(1, 1), 4.0);
  const Tensor copied = Tensor::copy_of({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2});
  EXPECT_EQ(copied.dtype(), DType::f32);
  EXPECT_EQ(copied.at<float>(1, 0), 3.0F);
  EXPECT_EQ(Tensor::copy_of({true, false}, {2}).dtype(), DType::boolean);
  EXPECT_EQ(Tensor().shape(), Shape{0});
}

TEST(Tensor, random_data_follows_its_seed) {
  const Tensor one = Tensor::random(DType::f64, {64}, 1);
  const Tensor again = Tensor::random(DType::f64, {64}, 1);
  const Tensor other = Tensor::random(DType::f64, {64}, 2);
  EXPECT_EQ(one.at<double>(63), again.at<double>(63));
  EXPECT_NE(one.at<double>(63), other.at<double>(63));
}

TEST(Tensor, rank_0_has_one_element) {
  const Tensor scalar = Tensor::full(DType::f64, {}, 2.5);
  EXPECT_EQ(scalar.rank(), 0U);
  EXPECT_EQ(scalar.element_count(), 1);
  EXPECT_EQ(scalar.at<double>(), 2.5);
}

TEST(Tensor, handles_share_their_elements) {
  const Tensor tensor = Tensor::zeros(DType::f32, {4});
  const Tensor copy = tensor;
  copy.mutable_at<float>(2) = 7.0F;
  EXPECT_EQ(tensor.at<float>(2), 7.0F);
  EXPECT_EQ(tensor.clone().data() == tensor.data(), false);
}

TEST(Tensor, borrowed_memory_is_read_and_written_in_place) {
  std::vector<float> memory(6);
  std::iota(memory.begin(), memory.end(), 0.0F);
  const Tensor tensor = Tensor::borrow(std::span(memory), {2, 3});
  EXPECT_EQ(tensor.data(), memory.data());
  EXPECT_EQ(tensor.at<float>(1, 2), 5.0F);
  tensor.mutable_at<float>(0, 1) = 9.0F;
  EXPECT_EQ(memory[1], 9.0F);

  const std::span<const float> constant = memory;
  const Tensor read_only = Tensor::borrow(constant, {6});
  EXPECT_TRUE(read_only.is_read_only());
  EXPECT_EQ(code_of([&] { read_only.mutable_at<float>(0) = 1.0F; }), "A012");
  EXPECT_EQ(read_only.at<float>(1), 9.0F);
}

TEST(Tensor, strides_reach_any_layout) {
  std::vector<double> memory = {0, 1, 2, 3, 4, 5};
  // Every second element, backwards.
  const Tensor tensor =
      Tensor::borrow(Memory{.data = &memory[4], .dtype = DType::f64, .shape = {3}, .strides = Strides{-2}});
  EXPECT_EQ(tensor.at<double>(0), 4.0);
  EXPECT_EQ(tensor.at<double>(2), 0.0);
  EXPECT_FALSE(tensor.is_contiguous());
  EXPECT_EQ(code_of([&] { (void)tensor.elements<double>(); }), "A013");
  const Tensor in_order = tensor.contiguous();
  EXPECT_EQ(in_order.elements<double>()[1], 2.0);
}

TEST(Tensor, keeps_its_owner_alive) {
  auto owner = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{1, 2, 3});
  const std::weak_ptr<std::vector<std::int32_t>> watch = owner;
  {
    const Tensor tensor =
        Tensor::borrow({.data = owner->data(), .dtype = DType::i32, .shape = {3}, .keep_alive = owner});
    owner.reset();
    EXPECT_EQ(tensor.slice(0, {.start = 2}).at<std::int32_t>(0), 3);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, views_share_memory) {
  const Tensor tensor = Tensor::arange(DType::i32, {2, 3, 4});
  EXPECT_EQ(tensor.transpose({2, 0, 1}).at<std::int32_t>(3, 1, 2), 23);
  EXPECT_EQ(tensor.slice(2, {.step = -2}).at<std::int32_t>(1, 0, 1), 13);
  EXPECT_EQ(tensor.reshape({6, 4}).at<std::int32_t>(5, 0), 20);
  EXPECT_EQ(tensor.select(1, -1).at<std::int32_t>(1, 3), 23);
  EXPECT_EQ(tensor.unsqueeze(0).squeeze(0).shape(), tensor.shape());
  const Tensor repeated = tensor.select(0, 0).select(0, 0).broadcast_to({5, 4});
  EXPECT_EQ(repeated.at<std::int32_t>(4, 3), 3);
  EXPECT_TRUE(repeated.is_read_only());
}

TEST(Tensor, errors_are_thrown_with_their_code_and_returned_by_try) {
  const Tensor tensor = Tensor::zeros(DType::f32, {2, 3});
  EXPECT_EQ(code_of([] { Tensor::allocate(DType::f32, {-1}); }), "R002");
  EXPECT_EQ(code_of([] { Tensor::copy_of({1.0, 2.0}, {3}); }), "A015");
  EXPECT_EQ(code_of([&] { (void)tensor.at<double>(0, 0); }), "A010");
  EXPECT_EQ(code_of([&] { (void)tensor.at<float>(0); }), "A011");
  EXPECT_EQ(code_of([&] { (void)tensor.at<float>(0, 3); }), "A011");
  EXPECT_EQ(code_of([&] { (void)tensor.at<float>(-1, 0); }), "A011");
  EXPECT_EQ(code_of([&] { (void)tensor.reshape({7}); }), "R013");
  const auto failed = tensor.try_transpose({0, 0});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().front().code, "R011");
  const auto no_file = Tensor::try_load("/nonexistent/a.npy");
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().front().code, "R040");
}

TEST(Tensor, npy_files_come_back) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tilewright_api_npy";
  std::filesystem::create_directories(folder);
  const Tensor saved = Tensor::arange(DType::i64, {3, 2}, -3).transpose({1, 0});
  saved.save(folder / "a.npy");
  const Tensor loaded = Tensor::load(folder / "a.npy");
  EXPECT_EQ(loaded.dtype(), DType::i64);
  EXPECT_EQ(loaded.shape(), (Shape{2, 3}));
  EXPECT_EQ(loaded.at<std::int64_t>(1, 0), -2);
  EXPECT_EQ(loaded.at<std::int64_t>(0, 2), 1);
  std::filesystem::remove_all(folder);
}

TEST(Tensor, dlpack_goes_out_and_back_without_a_copy) {
  const Tensor tensor = Tensor::arange(DType::u8, {4, 2}).slice(0, {.step = 2});
  const Tensor back = Tensor::from_dlpack(tensor.to_dlpack());
  EXPECT_EQ(back.data(), tensor.data());
  EXPECT_EQ(back.strides(), (Strides{4, 1}));
  EXPECT_EQ(back.at<std::uint8_t>(1, 1), 5);
  const Tensor old = Tensor::from_dlpack(tensor.to_unversioned_dlpack());
  EXPECT_EQ(old.at<std::uint8_t>(1, 0), 4);
  EXPECT_EQ(code_of([] { Tensor::from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }), "R020");
}

TEST(Tensor, borrows_memory_of_a_device) {
  float cell = 0;
  const auto on = [&](const char* device) {
    return Tensor::borrow({.data = &cell, .dtype = DType::f32, .shape = {1}, .device = device});
  };
  EXPECT_EQ(on("cpu").device(), "cpu");
  EXPECT_EQ(on("cuda").device(), "cuda:0");
  EXPECT_EQ(on("cuda:3").device(), "cuda:3");
  EXPECT_EQ(on("cuda-managed:1").device(), "cuda-managed:1");
  EXPECT_EQ(code_of([&] { on("cuda:1").at<float>(0); }), "R017");
  for (const char* wrong : {"", "abacus", "cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cpu:0"})
    EXPECT_EQ(code_of([&] { on(wrong); }), "R023") << wrong;
}

}  // namespace
}  // namespace tilewright
