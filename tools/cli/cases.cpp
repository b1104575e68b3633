// Operands from -i and from example lines. See cases.h.
#include "cli/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "runtime/compilation.h"
#include "runtime/fill.h"
#include "runtime/npy.h"

namespace tilewright::cli {
namespace {

constexpr std::string_view input_remedy =
    "NAME=FILE.npy, NAME=rand:DTYPE[:SHAPE[:SEED]] or NAME=DTYPE[:SHAPE], as a=rand:f32:64x64:1";

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<Shape> parse_shape(std::string_view text) {
  Shape shape;
  if (text.empty()) return shape;
  for (std::string_view part : split(text, 'x')) {
    const auto extent = parse_number<std::int64_t>(part);
    if (!extent || *extent < 0) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

/// A type and a shape from `DTYPE[:SHAPE]`, the first two of `parts`.
Result<void> parse_type(Input& input, const std::vector<std::string_view>& parts) {
  const auto dtype = dtype_from_name(parts[0]);
  if (!dtype)
    return fail("C006", fmt::format("operand {}: '{}' is no element type", input.name, parts[0]),
                std::string(input_remedy));
  const auto shape = parse_shape(parts.size() > 1 ? parts[1] : "");
  if (!shape)
    return fail("C006", fmt::format("operand {}: '{}' is no shape", input.name, parts[1]), "extents as 64x64");
  if (auto size = checked_byte_size(*dtype, *shape); !size) return std::unexpected(std::move(size.error()));
  input.dtype = *dtype;
  input.shape = *shape;
  return {};
}

Result<void> parse_random(Input& input, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3)
    return fail("C006", fmt::format("operand {}: 'rand:{}' has {} parts", input.name, text, parts.size() + 1),
                std::string(input_remedy));
  if (auto typed = parse_type(input, parts); !typed) return typed;
  if (parts.size() < 3) return {};
  const auto seed = parse_number<std::uint64_t>(parts[2]);
  if (!seed)
    return fail("C006", fmt::format("operand {}: '{}' is no seed", input.name, parts[2]), "a whole number below 2^64");
  input.seed = *seed;
  return {};
}

Result<void> read_file(Input& input, const std::string& path) {
  Result<Tensor> tensor = read_npy(path == "-" ? "/dev/stdin" : path);
  if (!tensor) {
    tensor.error().front().message = fmt::format("operand {}: {}", input.name, tensor.error().front().message);
    return std::unexpected(std::move(tensor.error()));
  }
  input.dtype = tensor->dtype();
  input.shape = tensor->shape();
  input.file = std::move(*tensor);
  return {};
}

/// The kernel's operands among those of the command line.
Result<Case> select_inputs(const Kernel& kernel, const std::vector<Input>& given) {
  Case result{&kernel, {}};
  for (const std::string& name : kernel.operand_names()) {
    const auto found = std::ranges::find(given, name, &Input::name);
    if (found == given.end())
      return fail("C009", fmt::format("operand '{}' of '{}' is missing", name, kernel.name()),
                  fmt::format("it reads {}: give each with -i", fmt::join(kernel.operand_names(), ", ")));
    result.inputs.push_back(*found);
  }
  return result;
}

Case example_case(const Kernel& kernel, const lang::Example& example) {
  Case result{&kernel, {}};
  for (const std::string& name : kernel.operand_names()) {
    const auto found = std::ranges::find(example, name, [](const lang::ExampleOperand& o) { return o.name.name; });
    // A program may have a parameter that its examples name and no statement reads; none that they leave out (L048).
    Input input{.name = name, .dtype = found->dtype, .shape = found->shape, .file = {}};
    input.seed = result.inputs.size() + 1;
    result.inputs.push_back(std::move(input));
  }
  return result;
}

Result<void> check_names(const std::vector<Input>& inputs, const std::vector<Kernel>& kernels) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    const auto before = std::find_if(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const Input& other) { return other.name == name; });
    if (before != inputs.begin() + static_cast<std::ptrdiff_t>(i))
      return fail("C007", fmt::format("operand '{}' is given twice", name), "give each operand once");
    std::vector<std::string> known;
    for (const Kernel& kernel : kernels)
      for (const std::string& operand : kernel.operand_names())
        if (std::ranges::find(known, operand) == known.end()) known.push_back(operand);
    if (std::ranges::find(known, name) == known.end())
      return fail("C008",
                  fmt::format("'{}' is no operand of {}", name,
                              kernels.size() == 1 ? "'" + kernels[0].name() + "'" : "any kernel selected"),
                  known.empty() ? "it reads no tensor" : fmt::format("there are {}", fmt::join(known, ", ")));
  }
  return {};
}

Result<void> check_standard_input(const Options& options) {
  auto readers = std::ranges::count_if(options.inputs, [](const std::string& i) { return i.ends_with("=-"); });
  readers += std::ranges::count(options.files, "-");
  if (readers > 1) return fail("C011", "standard input ('-') is read more than once", "use '-' for one file");
  return {};
}

}  // namespace

std::string extents_text(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

Result<Input> parse_input(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail("C005", fmt::format("'{}' does not say which operand is what", text), std::string(input_remedy));
  Input input{.name = text.substr(0, equals), .shape = {}, .file = {}};
  const std::string what = text.substr(equals + 1);
  constexpr std::string_view random = "rand:";
  const std::vector<std::string_view> parts = split(what, ':');
  Result<void> parsed;
  if (what.starts_with(random)) {
    parsed = parse_random(input, std::string_view(what).substr(random.size()));
  } else if (parts.size() <= 2 && dtype_from_name(parts[0])) {
    parsed = parse_type(input, parts);
    input.has_data = false;
  } else {
    parsed = read_file(input, what);
  }
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return input;
}

Result<std::vector<Case>> make_cases(const std::vector<Kernel>& kernels, const Options& options, Need need) {
  if (auto once = check_standard_input(options); !once) return std::unexpected(std::move(once.error()));
  std::vector<Input> given;
  for (const std::string& text : options.inputs) {
    Result<Input> input = parse_input(text);
    if (!input) return std::unexpected(std::move(input.error()));
    if (need == Need::data && !input->has_data)
      return fail("C006", fmt::format("operand {}: '{}' is a type, and data is needed", input->name, text),
                  fmt::format("{}=rand:{}", input->name, text.substr(text.find('=') + 1)));
    given.push_back(std::move(*input));
    if (!given.back().seed) given.back().seed = given.size();
  }
  if (auto known = check_names(given, kernels); !known) return std::unexpected(std::move(known.error()));

  std::vector<Case> cases;
  for (const Kernel& kernel : kernels) {
    if (!given.empty() || kernel.operand_names().empty()) {
      Result<Case> each = select_inputs(kernel, given);
      if (!each) return std::unexpected(std::move(each.error()));
      cases.push_back(std::move(*each));
      continue;
    }
    if (kernel.examples().empty())
      return fail("C010", fmt::format("'{}' has no example lines, and no -i is given", kernel.name()),
                  fmt::format("give each of {} with -i", fmt::join(kernel.operand_names(), ", ")));
    for (const lang::Example& example : kernel.examples()) cases.push_back(example_case(kernel, example));
  }
  return cases;
}

std::vector<nest::NamedView> views_of(const Case& each) {
  std::vector<nest::NamedView> views;
  for (const Input& input : each.inputs)
    views.push_back({input.name, input.file
                                     ? input.file->view()
                                     : TensorView{nullptr, input.dtype, input.shape, row_major_strides(input.shape)}});
  return views;
}

/// Before operands are filled: memory for each of the results is to be had. What the statements are wrong about is said
/// when they are compiled.
Result<void> check_room(const Case& each) {
  const auto types = types_with_results(*each.kernel, types_of(views_of(each)));
  const std::vector<std::string> results = each.kernel->result_names();
  for (std::size_t i = each.inputs.size(); types && i < types->size(); ++i) {
    const lang::OperandType& type = (*types)[i];
    if (std::ranges::find(results, type.name) == results.end()) continue;
    if (auto room = Tensor::allocate(type.dtype, type.shape); !room) return std::unexpected(std::move(room.error()));
  }
  return {};
}

Result<std::vector<Operand>> make_operands(const Case& each) {
  if (auto room = check_room(each); !room) return std::unexpected(std::move(room.error()));
  std::vector<Operand> operands;
  for (const Input& input : each.inputs) {
    Result<Tensor> tensor = input.file ? *input.file : random_data(input.dtype, input.shape, input.seed.value());
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    operands.push_back({input.name, std::move(*tensor)});
  }
  return operands;
}

std::string describe(const Case& each) {
  std::string text;
  for (const Input& input : each.inputs) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", input.name, name(input.dtype));
    if (!input.shape.empty()) text += " " + extents_text(input.shape);
  }
  return text;
}

}  // namespace tilewright::cli
