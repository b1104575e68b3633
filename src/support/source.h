// Source text and places in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

/// Half-open byte range of a source's text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// A named text: a .tw file, an IR file, the text of a statement built in C++ (named "file.cpp:12"), an einsum string.
class Source {
 public:
  Source(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  struct Position {
    std::uint32_t line;    ///< from 1
    std::uint32_t column;  ///< from 1, in characters (UTF-8 sequences count once; an invalid byte counts as one)
  };
  Position position(std::uint32_t offset) const;
  /// The line that holds `offset`, without its line break.
  std::string_view line_text(std::uint32_t offset) const;

 private:
  std::string name_;
  std::string text_;
};

using SourcePtr = std::shared_ptr<const Source>;

}  // namespace tilewright
