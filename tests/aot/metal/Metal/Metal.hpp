// A stand-in for metal-cpp: the part that the launchers of `tilewright build --target metal` use, with its names and
// signatures, which records what it is asked to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace NS {

using UInteger = std::uintptr_t;
enum StringEncoding : UInteger { UTF8StringEncoding = 4 };

class String {
 public:
  static String* string(const char* text, StringEncoding) {
    static std::vector<String*> pool;
    pool.push_back(new String{text});
    return pool.back();
  }
  const char* utf8String() const { return text.c_str(); }
  std::string text;
};

class Error {};

}  // namespace NS

namespace MTL {

enum LanguageVersion : NS::UInteger { LanguageVersion3_1 = (3 << 16) + 1 };

struct Size {
  Size(NS::UInteger w, NS::UInteger h, NS::UInteger d) : width(w), height(h), depth(d) {}
  NS::UInteger width, height, depth;
};

/// What was done, in order; and what is not there.
struct Record {
  struct Dispatch {
    std::string function;
    std::vector<const void*> buffers;
    std::vector<NS::UInteger> offsets;
    std::vector<std::int64_t> sizes;
    NS::UInteger sizes_index = 0;
    NS::UInteger groups = 0, threads = 0;
  };
  std::string source;
  bool fast_math = true;
  NS::UInteger language = 0;
  int alive = 0;  ///< objects that are not released
  NS::UInteger most_threads = 1024, width = 32;
  std::vector<Dispatch> dispatches;
};
inline Record record;

class Object {
 public:
  Object() { ++record.alive; }
  void release() {
    --record.alive;
    delete this;
  }
  virtual ~Object() = default;
};

class CompileOptions : public Object {
 public:
  static CompileOptions* alloc() { return new CompileOptions; }
  CompileOptions* init() { return this; }
  void setLanguageVersion(LanguageVersion version) { record.language = version; }
  void setFastMathEnabled(bool enabled) { record.fast_math = enabled; }
};

class Function : public Object {
 public:
  std::string name;
};

class Library : public Object {
 public:
  Function* newFunction(const NS::String* name) {
    if (record.source.find("\nvoid " + name->text + "(") == std::string::npos) return nullptr;
    auto* function = new Function;
    function->name = name->text;
    return function;
  }
};

class ComputePipelineState : public Object {
 public:
  std::string name;
  NS::UInteger maxTotalThreadsPerThreadgroup() const { return record.most_threads; }
  NS::UInteger threadExecutionWidth() const { return record.width; }
};

class Device {
 public:
  Library* newLibrary(const NS::String* source, const CompileOptions*, NS::Error**) {
    record.source = source->text;
    return new Library;
  }
  ComputePipelineState* newComputePipelineState(const Function* function, NS::Error**) {
    auto* state = new ComputePipelineState;
    state->name = function->name;
    return state;
  }
};

class Buffer {
 public:
  explicit Buffer(NS::UInteger bytes) : bytes_(bytes) {}
  NS::UInteger length() const { return bytes_; }

 private:
  NS::UInteger bytes_;
};

class ComputeCommandEncoder {
 public:
  void setComputePipelineState(const ComputePipelineState* state) { next_ = {state->name, {}, {}, {}, 0, 0, 0}; }
  void setBuffer(const Buffer* buffer, NS::UInteger offset, NS::UInteger index) {
    next_.buffers.resize(std::max<std::size_t>(next_.buffers.size(), index + 1));
    next_.offsets.resize(next_.buffers.size());
    next_.buffers[index] = buffer;
    next_.offsets[index] = offset;
  }
  void setBytes(const void* bytes, NS::UInteger length, NS::UInteger index) {
    next_.sizes.resize(length / sizeof(std::int64_t));
    std::memcpy(next_.sizes.data(), bytes, length);
    next_.sizes_index = index;
  }
  void dispatchThreadgroups(Size groups, Size threads) {
    next_.groups = groups.width * groups.height * groups.depth;
    next_.threads = threads.width * threads.height * threads.depth;
    record.dispatches.push_back(next_);
  }

 private:
  Record::Dispatch next_;
};

}  // namespace MTL
