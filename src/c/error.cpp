// Errors of the C interface: diagnostics as texts that live as long as the handle.
#include <algorithm>
#include <array>
#include <string_view>

#include "c/handles.h"

struct tilewright_error {
  std::vector<std::array<std::string, 5>> texts;  ///< code, message, remedy, source, text: of each
  std::vector<tilewright_diagnostic> diagnostics;
  std::string text;  ///< of all
};

namespace tilewright::c {
namespace {

struct CodeStatus {
  std::string_view code;
  tilewright_status status;
};
/// Those of the IRs and of the simulator (K…) are defects; all others are bad input.
constexpr std::array<CodeStatus, 9> code_statuses{{{"R072", TILEWRIGHT_ABSENT},
                                                   {"C016", TILEWRIGHT_ABSENT},
                                                   {"R004", TILEWRIGHT_OUT_OF_MEMORY},
                                                   {"R081", TILEWRIGHT_OUT_OF_MEMORY},
                                                   {"R091", TILEWRIGHT_OUT_OF_MEMORY},
                                                   {"R096", TILEWRIGHT_OUT_OF_MEMORY},
                                                   {"R090", TILEWRIGHT_DEVICE_FAILED},
                                                   {"R092", TILEWRIGHT_DEVICE_FAILED},
                                                   {"R093", TILEWRIGHT_DEVICE_FAILED}}};

std::unique_ptr<tilewright_error> make_error(const Diagnostics& diagnostics) {
  auto error = std::make_unique<tilewright_error>();
  error->texts.reserve(diagnostics.size());
  for (const Diagnostic& each : diagnostics) {
    const Source::Position place = each.source ? each.source->position(each.span.begin) : Source::Position{};
    const auto& texts = error->texts.emplace_back(std::array{
        each.code, each.message, each.remedy, each.source ? std::string(each.source->name()) : "", render(each)});
    error->diagnostics.push_back({texts[0].c_str(), texts[1].c_str(), texts[2].c_str(), texts[3].c_str(),
                                  each.source ? place.line : 0, each.source ? place.column : 0, texts[4].c_str()});
    error->text += texts[4];
  }
  return error;
}

}  // namespace

tilewright_status report(const Diagnostics& diagnostics, tilewright_error** error) noexcept {
  const std::string_view code = diagnostics.empty() ? std::string_view() : diagnostics.front().code;
  const auto known = std::ranges::find(code_statuses, code, &CodeStatus::code);
  const tilewright_status other = code.starts_with('K') ? TILEWRIGHT_DEFECT : TILEWRIGHT_BAD_INPUT;
  const tilewright_status status = known == code_statuses.end() ? other : known->status;
  try {
    if (error != nullptr) *error = make_error(diagnostics).release();
  } catch (const std::bad_alloc&) {
    return TILEWRIGHT_OUT_OF_MEMORY;
  }
  return status;
}

tilewright_status report_defect(const char* what, tilewright_error** error) noexcept {
  try {
    const tilewright_status status = report({{"", what, "", nullptr, {}}}, error);
    return status == TILEWRIGHT_OUT_OF_MEMORY ? status : TILEWRIGHT_DEFECT;
  } catch (const std::exception&) {
    return TILEWRIGHT_DEFECT;
  }
}

Result<void> require(std::initializer_list<Required> arguments) {
  for (const auto& [pointer, name] : arguments)
    if (pointer == nullptr) return fail("A040", "the argument '" + std::string(name) + "' is null");
  return {};
}

}  // namespace tilewright::c

size_t tilewright_error_count(const tilewright_error* error) {
  return error == nullptr ? 0 : error->diagnostics.size();
}

const tilewright_diagnostic* tilewright_error_at(const tilewright_error* error, size_t number) {
  return number < tilewright_error_count(error) ? &error->diagnostics[number] : nullptr;
}

const char* tilewright_error_text(const tilewright_error* error) {
  return error == nullptr ? "" : error->text.c_str();
}

void tilewright_error_free(tilewright_error* error) {
  delete error;
}
