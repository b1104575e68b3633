// .npy files: what NumPy wrote (tests/data/npy, made by generate.py there), what is written, and garbage.
#include "runtime/npy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "runtime/fill.h"
#include "runtime/npy_header.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code;
}

fs::path fixture(const std::string& name) {
  return fs::path(TILEWRIGHT_SOURCE_DIR) / "tests/data/npy" / (name + ".npy");
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values;
  const TensorView view = tensor.view();
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& at) { values.push_back(view.get(at).as_double()); });
  return values;
}

/// A file of version 1.0 with the given dictionary.
std::string file_with(const std::string& dictionary, const std::string& data = {}) {
  const std::string padded = dictionary + "\n";
  return "\x93NUMPY\x01\x00"s + static_cast<char>(padded.size() & 0xff) + static_cast<char>(padded.size() >> 8) +
         padded + data;
}

/// A private folder that goes with its test.
class NpyFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-npy-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

const std::map<std::string, DType> signed_types = {
    {"f64", DType::f64},         {"f32", DType::f32},           {"f16", DType::f16},
    {"bf16", DType::bf16},       {"f8e4m3", DType::f8e4m3},     {"f8e5m2", DType::f8e5m2},
    {"i8", DType::i8},           {"i32", DType::i32},           {"i64", DType::i64},
    {"f64_big", DType::f64},     {"f16_big", DType::f16},       {"i32_big", DType::i32},
    {"f32_fortran", DType::f32}, {"f32_version_2", DType::f32}, {"f32_version_3", DType::f32}};
const std::map<std::string, DType> unsigned_types = {{"u8", DType::u8}, {"u32", DType::u32}, {"u32_big", DType::u32}};

TEST(Npy, ReadsWhatNumpyWroteMappedAndCopied) {
  for (bool map : {true, false}) {
    for (const auto& [name, dtype] : signed_types) {
      const Result<Tensor> tensor = read_npy(fixture(name), {.map = map});
      ASSERT_TRUE(tensor) << name << render(tensor.error());
      EXPECT_EQ(tensor->dtype(), dtype) << name;
      EXPECT_EQ(tensor->shape(), (Shape{2, 3})) << name;
      EXPECT_EQ(elements(*tensor), (std::vector<double>{-2, -1, 0, 1, 2, 3})) << name;
    }
    for (const auto& [name, dtype] : unsigned_types) {
      const Tensor tensor = read_npy(fixture(name), {.map = map}).value();
      EXPECT_EQ(tensor.dtype(), dtype) << name;
      EXPECT_EQ(elements(tensor), (std::vector<double>{250, 251, 252, 253, 254, 255})) << name;
    }
    EXPECT_EQ(elements(read_npy(fixture("bool"), {.map = map}).value()), (std::vector<double>{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(read_npy(fixture("f64_scalar"), {.map = map})->at<double>({}), 2.5);
    EXPECT_EQ(read_npy(fixture("i64_vector"), {.map = map})->at<std::int64_t>({0}), std::int64_t{1} << 40);
    EXPECT_EQ(read_npy(fixture("f32_empty"), {.map = map})->shape(), (Shape{3, 0, 2}));
    const Tensor cube = read_npy(fixture("f32_cube_fortran_big"), {.map = map}).value();
    EXPECT_EQ(cube.shape(), (Shape{2, 3, 4}));
    EXPECT_EQ(cube.strides(), (Shape{1, 2, 6}));
    EXPECT_EQ(cube.at<float>({1, 2, 1}), 21.0F);
  }
}

TEST(Npy, MapsWhereItCanAndSaysReadOnly) {
  EXPECT_TRUE(read_npy(fixture("f32"))->is_read_only());
  EXPECT_TRUE(read_npy(fixture("f32_fortran"))->is_read_only());
  EXPECT_FALSE(read_npy(fixture("f64_big"))->is_read_only());  // bytes had to be swapped
  EXPECT_FALSE(read_npy(fixture("f32"), {.map = false})->is_read_only());
}

TEST(Npy, RawElementsAreWhatTheReaderSays) {
  EXPECT_EQ(read_npy(fixture("f8e4m3"), {.raw_as = DType::f8e5m2})->dtype(), DType::f8e5m2);
  EXPECT_EQ(read_npy(fixture("bf16"), {.raw_as = DType::f16})->dtype(), DType::f16);
  EXPECT_EQ(code_of(read_npy(fixture("bf16"), {.raw_as = DType::f32})), "R033");
  EXPECT_EQ(read_npy(fixture("f32"), {.raw_as = DType::i32})->dtype(), DType::f32);
}

TEST(Npy, RefusesOtherElementTypes) {
  for (const char* name : {"i16", "complex", "fields"}) EXPECT_EQ(code_of(read_npy(fixture(name))), "R033") << name;
}

TEST_F(NpyFiles, WritesTheBytesThatNumpyWrites) {
  const auto expect_same = [&](const Tensor& tensor, const std::string& name) {
    const fs::path path = folder_ / "written.npy";
    ASSERT_TRUE(write_npy(path, tensor)) << name;
    EXPECT_EQ(contents(path), contents(fixture(name))) << name;
  };
  for (const char* name : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i8", "i32", "i64"})
    expect_same(arange(signed_types.at(name), {2, 3}, -2).value(), name);
  for (const char* name : {"u8", "u32"}) expect_same(arange(unsigned_types.at(name), {2, 3}, 250).value(), name);
  expect_same(read_npy(fixture("bool")).value(), "bool");
  expect_same(read_npy(fixture("f32_fortran")).value(), "f32");  // written in C order
  expect_same(full(DType::f64, {}, Scalar::of(2.5)).value(), "f64_scalar");
  expect_same(zeros(DType::f32, {3, 0, 2}).value(), "f32_empty");
  expect_same(arange(DType::i64, {2}, std::int64_t{1} << 40, -7 - (std::int64_t{1} << 40)).value(), "i64_vector");
}

TEST_F(NpyFiles, StridedTensorsAreWrittenInOrder) {
  const Tensor tensor = arange(DType::f32, {4, 6}).value();
  const fs::path path = folder_ / "strided.npy";
  ASSERT_TRUE(write_npy(path, tensor.transpose({1, 0})->slice(0, {.start = 4, .step = -3}).value()));
  EXPECT_EQ(elements(read_npy(path).value()), (std::vector<double>{4, 10, 16, 22, 1, 7, 13, 19}));
}

TEST_F(NpyFiles, MisalignedDataAndOddBoolsAreCopied) {
  const fs::path path = folder_ / "odd.npy";
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
  while ((dictionary.size() + 11) % 4 != 1) dictionary += ' ';
  std::ofstream(path, std::ios::binary) << file_with(dictionary, std::string("\x00\x00\x80\x3f", 4));
  const Tensor one = read_npy(path).value();
  EXPECT_FALSE(one.is_read_only());
  EXPECT_EQ(one.at<float>({0}), 1.0F);
  std::ofstream(path, std::ios::binary) << file_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
                                                     std::string("\x02\x00\xff", 3));
  EXPECT_EQ(read_npy(path)->at<std::uint8_t>({0}), 1);
  EXPECT_EQ(read_npy(path)->at<std::uint8_t>({1}), 0);
  EXPECT_EQ(read_npy(path)->at<std::uint8_t>({2}), 1);
}

TEST_F(NpyFiles, TrailingBytesAreIgnored) {
  const fs::path path = folder_ / "long.npy";
  std::ofstream(path, std::ios::binary) << contents(fixture("f32")) << "more";
  for (bool map : {true, false})
    EXPECT_EQ(elements(read_npy(path, {.map = map}).value()), (std::vector<double>{-2, -1, 0, 1, 2, 3}));
}

TEST_F(NpyFiles, ReadsAPipe) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int descriptor = ::open(path.c_str(), O_RDWR);
  const std::string bytes = contents(fixture("i32_big"));
  ASSERT_EQ(::write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(elements(read_npy(path).value()), (std::vector<double>{-2, -1, 0, 1, 2, 3}));
  ::close(descriptor);
}

TEST_F(NpyFiles, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const fs::path path = folder_ / "kept.npy";
  std::ofstream(path) << "old";
  const Tensor device =
      Tensor::borrow({.data = &folder_, .dtype = DType::u8, .shape = {1}, .device = {DeviceKind::cuda, 0}}).value();
  EXPECT_EQ(code_of(write_npy(path, device)), "R017");
  EXPECT_EQ(contents(path), "old");
  const Tensor one = zeros(DType::f32, {1}).value();
  const Result<void> missing = write_npy(folder_ / "missing" / "x.npy", one);
  EXPECT_EQ(code_of(missing), "R041");
  EXPECT_NE(missing.error().front().message.find("missing/x.npy"), std::string::npos);
  EXPECT_EQ(code_of(write_npy(folder_, one)), "R041");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(NpyFiles, MissingFilesAndFoldersAreErrorsWithTheirName) {
  const Result<Tensor> missing = read_npy(folder_ / "none.npy");
  EXPECT_EQ(code_of(missing), "R040");
  EXPECT_NE(missing.error().front().message.find("none.npy"), std::string::npos);
  EXPECT_EQ(code_of(read_npy(folder_)), "R040");
}

TEST(NpyGarbage, HeadersAreRefusedForWhatIsWrong) {
  const std::map<std::string, std::string> dictionaries = {
      {"", "R031"},
      {"{", "R031"},
      {"{}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False}", "R031"},
      {"{'descr': '<f4', 'shape': (1,)}", "R031"},
      {"{'fortran_order': False, 'shape': (1,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "R031"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (nan,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "R031"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "R031"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "R031"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': '<', 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "R033"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "R001"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}", "R003"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2, 0)}", "R003"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "R032"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "R032"},
  };
  for (const auto& [dictionary, code] : dictionaries)
    EXPECT_EQ(code_of(read_npy_bytes(as_bytes(file_with(dictionary, "data")))), code) << dictionary;
}

TEST(NpyGarbage, UnusualButLegalHeadersAreRead) {
  for (const char* dictionary : {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
                                 "  {\"shape\":(1,),\"fortran_order\":True,\"descr\":\"=f4\"}\t \n",
                                 "{'shape' : ( 1L , ), 'descr' : 'f4', 'fortran_order' : False ,}"}) {
    const std::string file = file_with(dictionary, std::string("\x00\x00\x20\xc0", 4));
    EXPECT_EQ(elements(read_npy_bytes(as_bytes(file)).value()), std::vector<double>{-2.5}) << dictionary;
  }
  const std::string file =
      file_with("{'descr': 'bfloat16', 'fortran_order': False, 'shape': ()}", std::string("\x20\xc0", 2));
  EXPECT_EQ(read_npy_bytes(as_bytes(file))->get({}), Scalar::of(-2.5));
}

TEST(NpyGarbage, EveryTruncationIsRefused) {
  const std::string whole = contents(fixture("f32"));
  ASSERT_TRUE(read_npy_bytes(as_bytes(whole)));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string code = code_of(read_npy_bytes(as_bytes(whole.substr(0, length))));
    EXPECT_EQ(code, length < 6 ? "R030" : "R032") << length;
  }
}

TEST(NpyGarbage, MagicAndVersionAreChecked) {
  std::string file = contents(fixture("f32"));
  file[0] = 'N';
  EXPECT_EQ(code_of(read_npy_bytes(as_bytes(file))), "R030");
  file = contents(fixture("f32"));
  file[6] = 4;
  EXPECT_EQ(code_of(read_npy_bytes(as_bytes(file))), "R031");
  file[6] = 2;  // its length is now four bytes, two of them of the dictionary
  EXPECT_EQ(code_of(read_npy_bytes(as_bytes(file))), "R031");
}

}  // namespace
}  // namespace tilewright
