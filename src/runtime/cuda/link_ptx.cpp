// The driver's linker, which is the one way to get at the machine code that it makes. See link_ptx.h.
#include "runtime/cuda/link_ptx.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

namespace tilewright::cuda {
namespace {

constexpr std::size_t log_bytes = std::size_t{1} << 16;

/// Options and their values as the driver wants them: two arrays, the numbers inside of pointers.
class OptionList {
 public:
  void add(LinkOption option, void* value) {
    options_.push_back(option);
    values_.push_back(value);
  }
  void add(LinkOption option, std::size_t value) { add(option, reinterpret_cast<void*>(value)); }
  unsigned size() const { return static_cast<unsigned>(options_.size()); }
  LinkOption* options() { return options_.data(); }
  void** values() { return values_.data(); }

 private:
  std::vector<LinkOption> options_;
  std::vector<void*> values_;
};

/// The text up to the first NUL, without blanks at its end.
std::string text_of(const std::vector<char>& buffer) {
  std::string text(buffer.data(), ::strnlen(buffer.data(), buffer.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

/// The number that stands before `unit` in `line`.
std::optional<int> number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  const auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (error != std::errc() || stop != line.data() + end) return std::nullopt;
  return value;
}

bool is_refusal(Status status) {
  return status == Status::invalid_ptx || status == Status::unsupported_ptx_version ||
         status == Status::invalid_image || status == Status::no_binary_for_gpu;
}

}  // namespace

std::string LinkOptions::text() const {
  return fmt::format("O{} r{}{}", optimization_level, max_registers, whole_program ? " whole" : "");
}

std::vector<std::byte> Cubin::pack() const {
  const std::uint64_t log_size = log.size();
  std::vector<std::byte> bytes(sizeof log_size + log.size() + image.size());
  std::memcpy(bytes.data(), &log_size, sizeof log_size);
  if (!log.empty()) std::memcpy(bytes.data() + sizeof log_size, log.data(), log.size());
  if (!image.empty()) std::memcpy(bytes.data() + sizeof log_size + log.size(), image.data(), image.size());
  return bytes;
}

std::optional<Cubin> Cubin::unpack(const std::vector<std::byte>& bytes) {
  std::uint64_t log_size = 0;
  if (bytes.size() < sizeof log_size) return std::nullopt;
  std::memcpy(&log_size, bytes.data(), sizeof log_size);
  if (log_size >= bytes.size() - sizeof log_size) return std::nullopt;  // no image would be left
  const std::byte* text = bytes.data() + sizeof log_size;
  return Cubin{{text + log_size, bytes.data() + bytes.size()}, {reinterpret_cast<const char*>(text), log_size}};
}

std::unexpected<Diagnostics> refused_ptx(const Context& context, const Outcome& outcome, std::string_view log) {
  return fail(
      "R093",
      fmt::format("the compiler of driver CUDA {} refuses the PTX for {}: {}{}{}", context.driver().version_text(),
                  context.device().text(), context.driver().text(outcome), log.empty() ? "" : "\n", log),
      outcome.status == Status::unsupported_ptx_version ? "a newer driver knows this version of PTX"
                                                        : "this is a defect of what made the PTX");
}

Result<Cubin> link_ptx(Context& context, std::string_view ptx, const LinkOptions& options) {
  std::vector<char> info_log(log_bytes);
  std::vector<char> error_log(log_bytes);
  OptionList list;
  list.add(LinkOption::info_log, info_log.data());
  list.add(LinkOption::info_log_bytes, log_bytes);
  list.add(LinkOption::error_log, error_log.data());
  list.add(LinkOption::error_log_bytes, log_bytes);
  list.add(LinkOption::verbose_log, 1);
  list.add(LinkOption::optimization_level, static_cast<std::size_t>(options.optimization_level));
  if (options.max_registers > 0) list.add(LinkOption::max_registers, static_cast<std::size_t>(options.max_registers));

  std::string terminated(ptx);  // the driver wants the NUL counted
  Cubin cubin;
  Result<Outcome> linked = context.attempt([&](const DriverCalls& calls) {
    LinkHandle link = nullptr;
    if (const Outcome made = calls.cuLinkCreate(list.size(), list.options(), list.values(), &link); !made.ok())
      return made;
    void* image = nullptr;  // the link's
    std::size_t size = 0;
    Outcome outcome = calls.cuLinkAddData(link, LinkInput::ptx, terminated.data(), terminated.size() + 1, "kernel.ptx",
                                          0, nullptr, nullptr);
    if (outcome.ok()) outcome = calls.cuLinkComplete(link, &image, &size);
    if (outcome.ok()) {
      const auto* bytes = static_cast<const std::byte*>(image);
      cubin.image.assign(bytes, bytes + size);
    }
    (void)calls.cuLinkDestroy(link);
    return outcome;
  });
  if (!linked) return std::unexpected(std::move(linked.error()));
  const std::string errors = text_of(error_log);
  if (is_refusal(linked->status) || (!linked->ok() && !errors.empty())) return refused_ptx(context, *linked, errors);
  if (auto checked = context.check(*linked); !checked) return std::unexpected(std::move(checked.error()));
  cubin.log = text_of(info_log);
  return cubin;
}

std::optional<FunctionLog> find_in_log(std::string_view log, std::string_view function) {
  // ptxas writes "… Function properties for NAME", and on the next line
  // "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads".
  constexpr std::string_view head = "Function properties for ";
  for (std::size_t at = log.find(head); at != std::string_view::npos; at = log.find(head, at + 1)) {
    const std::string_view rest = log.substr(at + head.size());
    const std::size_t line_end = rest.find('\n');
    if (line_end == std::string_view::npos) return std::nullopt;
    std::string_view name = rest.substr(0, line_end);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\r')) name.remove_suffix(1);
    if (name != function) continue;
    const std::string_view after = rest.substr(line_end + 1);
    const std::string_view figures = after.substr(0, after.find('\n'));
    const auto stack = number_before(figures, " bytes stack frame");
    const auto stores = number_before(figures, " bytes spill stores");
    const auto loads = number_before(figures, " bytes spill loads");
    if (!stack || !stores || !loads) return std::nullopt;
    return FunctionLog{*stack, *stores, *loads};
  }
  return std::nullopt;
}

}  // namespace tilewright::cuda
