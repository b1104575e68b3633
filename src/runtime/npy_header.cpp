// Parsing and writing of .npy headers. See npy_header.h.
#include "runtime/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <utility>

namespace tilewright {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

struct TypeEntry {
  DType dtype;
  std::string_view code;  ///< kind and size, without the byte order
  std::string_view name;  ///< as ml_dtypes calls it; empty for NumPy's own
};

constexpr std::array<TypeEntry, 12> types{{{DType::f64, "f8", ""},
                                           {DType::f32, "f4", ""},
                                           {DType::f16, "f2", ""},
                                           {DType::bf16, "V2", "bfloat16"},
                                           {DType::f8e4m3, "V1", "float8_e4m3fn"},
                                           {DType::f8e5m2, "f1", "float8_e5m2"},
                                           {DType::i8, "i1", ""},
                                           {DType::u8, "u1", ""},
                                           {DType::i32, "i4", ""},
                                           {DType::u32, "u4", ""},
                                           {DType::i64, "i8", ""},
                                           {DType::boolean, "b1", ""}}};

/// At most 40 characters of file content, printable, for a message.
std::string excerpt(std::string_view text) {
  std::string shown;
  for (char c : text.substr(0, 40)) shown.push_back(c >= ' ' && c <= '~' ? c : '?');
  if (text.size() > 40) shown += "…";
  return shown;
}

std::unexpected<Diagnostics> malformed(std::string_view what, std::string_view at) {
  return fail("R031", fmt::format("a .npy header with {}, at \"{}\"", what, excerpt(at)),
              "a header is {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
}

/// Reads the few Python literals that a header is made of.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  std::string_view rest() {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n\0"sv);
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
    return rest_;
  }
  bool accept(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  /// A string without escapes, in either kind of quotes.
  std::optional<std::string_view> string() {
    if (rest().empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return content;
  }
  /// A non-negative integer below 2⁶³; Python 2 wrote an L after long ones.
  std::optional<std::int64_t> extent() {
    rest();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);
    return value;
  }

 private:
  std::string_view rest_;
};

Result<Shape> read_shape(LiteralReader& reader) {
  if (!reader.accept("(")) return malformed("a shape that is no tuple", reader.rest());
  Shape shape;
  bool has_comma = true;
  while (!reader.accept(")")) {
    if (!has_comma) return malformed("an error in its shape", reader.rest());
    const std::optional<std::int64_t> extent = reader.extent();
    if (!extent) return malformed("an extent that is no integer from 0 to 2^63 - 1", reader.rest());
    if (shape.size() == 64) return malformed("more axes than NumPy has", reader.rest());
    shape.push_back(*extent);
    has_comma = reader.accept(",");
  }
  if (shape.size() == 1 && !has_comma) return malformed("a shape that is no tuple", reader.rest());
  return shape;
}

std::unexpected<Diagnostics> unsupported_type(std::string_view descr) {
  return fail("R033", fmt::format("a .npy file with elements of type '{}'", excerpt(descr)),
              "supported are f8, f4, f2, i1, u1, i4, u4, i8, b1, V2 (bf16), V1 (f8e4m3) and f1 (f8e5m2), of either "
              "byte order");
}

Result<void> set_type(NpyHeader& header, std::string_view descr, std::optional<DType> raw_as) {
  std::string_view code = descr;
  char order = native_order;
  if (!code.empty() && "<>=|"sv.find(code.front()) != std::string_view::npos) {
    if (code.front() == '<' || code.front() == '>') order = code.front();
    code.remove_prefix(1);
  }
  for (const TypeEntry& entry : types) {
    if (code != entry.code && (entry.name.empty() || descr != entry.name)) continue;
    header.dtype = entry.dtype;
    if (raw_as && code.front() == 'V') {
      if (size_of(*raw_as) != size_of(entry.dtype)) return unsupported_type(descr);
      header.dtype = *raw_as;
    }
    header.is_swapped = order != native_order && size_of(header.dtype) > 1;
    return {};
  }
  return unsupported_type(descr);
}

}  // namespace

Result<std::size_t> npy_length_bytes(std::string_view prefix) {
  if (!prefix.starts_with(magic))
    return fail("R030", "not a .npy file: it does not begin with \\x93NUMPY",
                prefix.starts_with("PK") ? "an .npz archive holds .npy files: unpack it first" : "");
  if (prefix.size() < npy_prefix_bytes) return fail("R032", "a .npy file that ends in its first 8 bytes");
  const auto major = static_cast<unsigned char>(prefix[6]);
  const auto minor = static_cast<unsigned char>(prefix[7]);
  if (major < 1 || major > 3 || minor != 0)
    return fail("R031", fmt::format("a .npy file of version {}.{}", major, minor), "versions are 1.0, 2.0 and 3.0");
  return major == 1 ? 2U : 4U;
}

Result<NpyHeader> parse_npy_header(std::string_view text, std::optional<DType> raw_as) {
  LiteralReader reader(text);
  if (!reader.accept("{")) return malformed("no dictionary", reader.rest());
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  bool has_comma = true;
  while (!reader.accept("}")) {
    if (!has_comma) return malformed("an error", reader.rest());
    const std::string_view entry = reader.rest();
    const std::optional<std::string_view> key = reader.string();
    if (!key || !reader.accept(":")) return malformed("an error", entry);
    if (*key == "descr" && !std::exchange(has_descr, true)) {
      const std::string_view value = reader.rest();
      const std::optional<std::string_view> descr = reader.string();
      if (!descr) return unsupported_type(value);  // a list of fields
      if (Result<void> set = set_type(header, *descr, raw_as); !set) return std::unexpected(std::move(set.error()));
    } else if (*key == "fortran_order" && !std::exchange(has_order, true)) {
      header.is_fortran_order = reader.accept("True");
      if (!header.is_fortran_order && !reader.accept("False"))
        return malformed("a 'fortran_order' that is neither True nor False", reader.rest());
    } else if (*key == "shape" && !std::exchange(has_shape, true)) {
      Result<Shape> shape = read_shape(reader);
      if (!shape) return std::unexpected(std::move(shape.error()));
      header.shape = std::move(*shape);
    } else {
      return malformed("a key that is unknown or given twice", entry);
    }
    has_comma = reader.accept(",");
  }
  if (!has_descr || !has_order || !has_shape) return malformed("no 'descr', no 'fortran_order' or no 'shape'", text);
  if (!reader.rest().empty()) return malformed("text after its dictionary", reader.rest());
  return header;
}

std::string npy_header_text(DType dtype, const Shape& shape) {
  std::string_view code;
  for (const TypeEntry& entry : types)
    if (entry.dtype == dtype) code = entry.code;
  // NumPy writes '|' where there is no byte order to tell; ml_dtypes does not.
  const bool is_numpy_byte = code == "i1" || code == "u1" || code == "b1";
  std::string tuple;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    fmt::format_to(std::back_inserter(tuple), "{}{}", axis == 0 ? "" : ", ", shape[axis]);
  if (shape.size() == 1) tuple += ',';
  std::string dictionary = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                       is_numpy_byte ? '|' : native_order, code, tuple);
  constexpr std::size_t before = npy_prefix_bytes + 2;
  const std::size_t total = (before + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - before - dictionary.size() - 1, ' ').push_back('\n');
  std::string text(magic);
  text += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xffU), static_cast<char>(dictionary.size() >> 8U)};
  return text + dictionary;
}

}  // namespace tilewright
