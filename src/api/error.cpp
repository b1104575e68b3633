// Errors of the layers as errors of the interface.
#include "api/inside.h"

namespace tilewright::v0 {

struct Error::Content {
  Diagnostics diagnostics;
  std::string text;
};

Error::Error(Diagnostics diagnostics) {
  if (diagnostics.empty()) diagnostics.push_back({"", "an error without a diagnostic", "", "", 0, 0, "error\n"});
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.text;
  content_ = std::make_shared<const Content>(Content{std::move(diagnostics), std::move(text)});
}
Error::Error(const Error& other) noexcept = default;
Error& Error::operator=(const Error& other) noexcept = default;
Error::~Error() = default;

const char* Error::what() const noexcept {
  return content_->text.c_str();
}
const Diagnostics& Error::diagnostics() const noexcept {
  return content_->diagnostics;
}
const std::string& Error::code() const noexcept {
  return content_->diagnostics.front().code;
}

void detail::throw_error(Diagnostics diagnostics) {
  throw Error(std::move(diagnostics));
}

Diagnostic outer(const tilewright::Diagnostic& diagnostic) {
  Diagnostic result{diagnostic.code, diagnostic.message, diagnostic.remedy, "", 0, 0, render(diagnostic)};
  if (diagnostic.source) {
    const Source::Position place = diagnostic.source->position(diagnostic.span.begin);
    result.source = diagnostic.source->name();
    result.line = place.line;
    result.column = place.column;
  }
  return result;
}

std::unexpected<Diagnostics> outer(const tilewright::Diagnostics& diagnostics) {
  Diagnostics result;
  for (const tilewright::Diagnostic& diagnostic : diagnostics) result.push_back(outer(diagnostic));
  return std::unexpected(std::move(result));
}

Result<Tensor> outer(tilewright::Result<tilewright::Tensor> tensor) {
  if (!tensor) return outer(tensor.error());
  return Tensor::Inside::wrap(std::move(*tensor));
}

Result<void> outer(const tilewright::Result<void>& done) {
  if (!done) return outer(done.error());
  return {};
}

std::unexpected<Diagnostics> fail_here(std::string_view code, std::string message, std::string remedy) {
  return outer(fail(code, std::move(message), std::move(remedy)).error());
}

std::unexpected<Diagnostics> defect(const std::exception& exception) {
  const std::string message = exception.what();
  return std::unexpected(Diagnostics{{"", message, "", "", 0, 0, message + "\n"}});
}

}  // namespace tilewright::v0
