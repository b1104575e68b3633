// See metal_text.h.
#include "metal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace tilewright::metal_shim {

namespace {

struct SpecialParameter {
  std::string_view attribute;
  std::string_view member;  ///< of tw_thread
};
constexpr std::array specials = {
    SpecialParameter{"thread_index_in_threadgroup", "index"},
    SpecialParameter{"threadgroup_position_in_grid", "group"},
    SpecialParameter{"threadgroups_per_grid", "groups"},
    SpecialParameter{"thread_index_in_simdgroup", "lane"},
    SpecialParameter{"simdgroup_index_in_threadgroup", "simdgroup"},
};

constexpr unsigned most_buffers = 31;
constexpr std::string_view own_elements = "thread float2&>(";  // a cast of what a thread has of a matrix
constexpr unsigned most_threads = 1024;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// "name(12)" of that name: the number.
std::optional<unsigned> number_in(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')') || text.size() < name.size() + 3 || text[name.size()] != '(')
    return std::nullopt;
  const std::string digits(text.substr(name.size() + 1, text.size() - name.size() - 2));
  if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) || digits.size() > 6)
    return std::nullopt;
  return static_cast<unsigned>(std::stoul(digits));
}

/// What is said of pointers by their names, which are a function's own.
struct Pointer {
  std::string space;
  bool is_const = false;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::expected<HostText, std::string> run() {
    std::istringstream lines{std::string(text_)};
    for (std::string line; error_.empty() && std::getline(lines, line);) read_line(line);
    if (!error_.empty()) return std::unexpected(error_);
    if (!includes_ || !uses_namespace_ || !contracts_not_)
      return std::unexpected("the head of the source lacks a line");
    if (in_signature_ || host_.functions.empty()) return std::unexpected("the source has no whole function");
    return std::move(host_);
  }

 private:
  void fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }

  void read_line(std::string line) {
    const std::string_view bare = trimmed(line);
    if (bare.starts_with('#')) return read_directive(bare);
    if (line == "using namespace metal;") uses_namespace_ = true;
    if (bare.starts_with("[[")) return read_kernel_attribute(bare);
    if (bare.starts_with("//")) {
      host_.text += "\n";
      return;
    }
    if (expects_function_ || in_signature_) return read_signature(line);
    if (line.find("[[") != std::string::npos) return fail("an attribute that is not known: " + line);
    read_array(line);
    check_spaces(line);
    host_.text += line + "\n";
  }

  void read_directive(std::string_view line) {
    host_.text += "\n";
    if (line == "#include <metal_stdlib>")
      includes_ = true;
    else if (line == "#pragma METAL fp contract(off)")
      contracts_not_ = true;
    else
      fail("a directive that is not known: " + std::string(line));
  }

  void read_kernel_attribute(std::string_view line) {
    constexpr std::string_view head = "[[kernel, ";
    if (!line.starts_with(head) || !line.ends_with("]]"))
      return fail("an attribute that is not known: " + std::string(line));
    const auto threads =
        number_in(line.substr(head.size(), line.size() - head.size() - 2), "max_total_threads_per_threadgroup");
    if (!threads || *threads == 0 || *threads > most_threads)
      return fail("threads of a threadgroup: " + std::string(line));
    function_ = {};
    function_.max_threads = *threads;
    expects_function_ = true;
    pointers_.clear();
    arrays_ = 0;
    host_.text += "\n";
  }

  void read_signature(const std::string& line) {
    signature_ += line + "\n";
    host_.text += "\n";
    in_signature_ = true;
    if (!line.ends_with(") {")) return;
    in_signature_ = expects_function_ = false;
    const std::string_view all = trimmed(signature_);
    const std::size_t open = all.find('(');
    constexpr std::string_view result = "void ";
    if (!all.starts_with(result) || open == std::string_view::npos)
      return fail("no function of kind kernel: " + signature_);
    function_.name = all.substr(result.size(), open - result.size());
    const std::string_view parameters = all.substr(open + 1, all.size() - open - 4);
    std::string written;
    std::string call;
    std::set<unsigned> numbers;
    for (std::size_t at = 0; at < parameters.size();) {
      std::size_t end = parameters.find("]]", at);
      if (end == std::string_view::npos) return fail("a parameter without its attribute in " + function_.name);
      end += 2;
      const std::string_view each = trimmed(parameters.substr(at, end - at));
      read_parameter(each, written, call, numbers);
      at = parameters.find_first_not_of(", \n", end);
      if (at == std::string_view::npos) break;
    }
    for (unsigned number = 0; number < numbers.size(); ++number)
      if (!numbers.contains(number)) fail("buffers of " + function_.name + " are not numbered from 0");
    function_.buffers = static_cast<unsigned>(numbers.size());
    function_.call = fmt::format("{}({})", function_.name, call);
    host_.functions.push_back(function_);
    host_.text += fmt::format("void {}({}) {{\n", function_.name, written);
    signature_.clear();
  }

  void read_parameter(std::string_view parameter, std::string& written, std::string& call,
                      std::set<unsigned>& numbers) {
    const std::size_t begin = parameter.find("[[");
    const std::string_view attribute = parameter.substr(begin + 2, parameter.size() - begin - 4);
    const std::string_view declared = trimmed(parameter.substr(0, begin));
    const std::size_t space = declared.rfind(' ');
    const std::string type(declared.substr(0, space));
    const std::string name(declared.substr(space + 1));
    written += (written.empty() ? "" : ", ") + std::string(declared);
    call += call.empty() ? "" : ", ";
    if (const auto number = number_in(attribute, "buffer")) {
      if (*number >= most_buffers || !numbers.insert(*number).second) return fail("buffer " + std::to_string(*number));
      if (type.starts_with("device ") && type.ends_with('*')) {
        pointers_[name] = {"device", type.starts_with("device const ")};
        call += fmt::format("({})t->buffers[{}]", type, *number);
      } else if (type.starts_with("constant ") && type.ends_with('&')) {
        call += fmt::format("*({}*)t->buffers[{}]", type.substr(0, type.size() - 1), *number);
      } else {
        fail("a buffer in no address space: " + std::string(parameter));
      }
      return;
    }
    for (const SpecialParameter& each : specials)
      if (each.attribute == attribute && type == "uint") {
        call += fmt::format("t->{}", each.member);
        return;
      }
    fail("a parameter that is not known: " + std::string(parameter));
  }

  /// `alignas(16) threadgroup float tile[64];`: one array of all threads.
  void read_array(std::string& line) {
    constexpr std::string_view head = "  alignas(16) threadgroup ";
    if (!line.starts_with(head)) {
      if (line.starts_with("  alignas(16) ")) note_local_array(line);
      return;
    }
    std::istringstream words(line.substr(head.size()));
    std::string type, rest;
    words >> type >> rest;
    const std::size_t open = rest.find('[');
    const std::size_t close = rest.find("];");
    if (open == std::string::npos || close == std::string::npos) return fail("an array that is not known: " + line);
    const std::string name = rest.substr(0, open);
    const std::string count = rest.substr(open + 1, close - open - 1);
    pointers_[name] = {"threadgroup", false};
    line = fmt::format("  {0}* const {1} = static_cast<{0}*>(tw_threadgroup_array({2}, {3} * sizeof({0})));", type,
                       name, arrays_++, count);
  }

  void note_local_array(const std::string& line) {
    const std::size_t open = line.find('[');
    std::size_t begin = open;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    if (open != std::string::npos) pointers_[line.substr(begin, open - begin)] = {"thread", false};
  }

  /// Pointers stay in their address space, and const where they are.
  void check_spaces(const std::string& line) {
    for (const std::string_view space : {"device", "threadgroup", "thread", "constant"}) {
      for (std::size_t at = line.find(space); at != std::string::npos; at = line.find(space, at + 1)) {
        const std::size_t end = at + space.size();
        if ((at > 0 && is_word(line[at - 1])) || end >= line.size() || line[end] != ' ') continue;
        if (line.compare(at, own_elements.size(), own_elements) == 0) continue;
        check_pointer(line, at, std::string(space));
      }
    }
  }

  void check_pointer(const std::string& line, std::size_t at, const std::string& space) {
    const std::size_t star = line.find('*', at);
    if (star == std::string::npos) return fail("an address space without a pointer: " + line);
    const bool is_const = line.compare(at + space.size(), 7, " const ") == 0;
    std::size_t next = star + 1;
    const bool is_cast = next < line.size() && line[next] == ')';
    if (!is_cast) {  // a declaration: its name, and from what it comes
      while (next < line.size() && line[next] == ' ') ++next;
      const std::size_t begin = next;
      while (next < line.size() && is_word(line[next])) ++next;
      pointers_[line.substr(begin, next - begin)] = {space, is_const};
      if (next < line.size() && line[next] == ';') return;
      next = line.find('=', next);
      if (next == std::string::npos) return fail("a pointer that is not known: " + line);
    }
    ++next;
    while (next < line.size() && (line[next] == ' ' || line[next] == '(')) ++next;
    const std::size_t begin = next;
    while (next < line.size() && is_word(line[next])) ++next;
    const std::string from = line.substr(begin, next - begin);
    if (from == "device" || from == "threadgroup" || from == "thread") return;  // a cast, which is checked itself
    const auto known = pointers_.find(from);
    if (known == pointers_.end()) return fail("a pointer from what is none: " + line);
    if (known->second.space != space) fail("a pointer changes its address space: " + line);
    if (known->second.is_const && !is_const) fail("a pointer loses its const: " + line);
  }

  std::string_view text_;
  HostText host_;
  Function function_;
  std::string signature_;
  std::string error_;
  std::map<std::string, Pointer> pointers_;
  unsigned arrays_ = 0;
  bool includes_ = false, uses_namespace_ = false, contracts_not_ = false;
  bool expects_function_ = false, in_signature_ = false;
};

}  // namespace

std::expected<HostText, std::string> to_host(std::string_view metal) {
  return Reader(metal).run();
}

}  // namespace tilewright::metal_shim
