// Makes tests of the C++ blocks of a document: each block is a TEST of its own whose asserts are expectations, so what
// a reader copies compiles, runs, and does what it says. A block with a main is a program: it returns 0. Compile errors
// point into the document.
//
// Usage: extract_blocks DOCUMENT.md OUT.cpp
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct Block {
  int line = 0;  ///< of the document, of the block's first line
  std::string includes;
  std::string body;
};

std::vector<Block> blocks_of(std::istream& document) {
  std::vector<Block> blocks;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(document, line);) {
    ++number;
    if (inside && line == "```") {
      inside = false;
    } else if (inside && line.starts_with("#include")) {
      blocks.back().includes += line + "\n";
      blocks.back().body += "\n";
    } else if (inside) {
      blocks.back().body += line + "\n";
    } else if (line == "```cpp") {
      inside = true;
      blocks.push_back({number + 1, "", ""});
    }
  }
  return blocks;
}

void write_block(std::ostream& out, const Block& block, const std::string& document) {
  const std::string place = "#line " + std::to_string(block.line) + " \"" + document + "\"\n";
  const std::string suite = std::filesystem::path(document).stem().string();
  const std::string name = "line_" + std::to_string(block.line);
  const std::string test = "TEST(" + suite + ", " + name + ")";
  if (block.body.find("int main(") != std::string::npos) {
    out << "namespace " << suite << "_" << name << " {\n" << place << block.body << "}\n";
    out << test << " { EXPECT_EQ(" << suite << "_" << name << "::main(), 0); }\n";
  } else {
    out << test << " {\n" << place << block.body << "}\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream document(argv[1]);
  const std::vector<Block> blocks = blocks_of(document);
  if (blocks.empty()) {
    std::cerr << argv[1] << " has no block of C++\n";
    return 1;
  }
  std::ofstream out(argv[2]);
  out << "// Written by extract_blocks.\n#include <gtest/gtest.h>\n#include <tilewright/tilewright.h>\n";
  for (const Block& block : blocks) out << block.includes;
  out << "#undef assert\n#define assert(...) EXPECT_TRUE((__VA_ARGS__))\nusing namespace tilewright;\n";
  for (const Block& block : blocks) write_block(out, block, argv[1]);
  return out.good() ? 0 : 1;
}
