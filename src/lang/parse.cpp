// The entry of the front end for .tw text.
#include "lang/parse.h"

#include <algorithm>
#include <tuple>

#include "lang/parser.h"

namespace tilewright::lang {

Result<File> parse(SourcePtr source, Diagnostics& warnings) {
  Diagnostics found;
  File file = Parser(std::move(source), found).parse_file();
  std::ranges::sort(found, {}, [](const Diagnostic& d) { return std::tuple(d.span.begin, d.span.end, d.code); });
  if (has_errors(found)) {
    if (found.size() > most_errors) {
      std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::error; });
      found.resize(std::min(found.size(), most_errors));
    }
    return std::unexpected(std::move(found));
  }
  warnings.insert(warnings.end(), found.begin(), found.end());
  return file;
}

Result<File> parse(SourcePtr source) {
  Diagnostics warnings;
  return parse(std::move(source), warnings);
}

}  // namespace tilewright::lang
