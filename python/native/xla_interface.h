// What is used of XLA's foreign-function interface, a C interface that jaxlib publishes as xla/ffi/api/c_api.h, of
// whose version 0 these are the layouts. Declared here, so that building needs no JAX; tests/python/test_jax.py holds
// it to the header where that is installed. Structures begin with their size and grow at their ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::python::xla {

struct Error;  // XLA's
struct Extension {
  std::size_t size;
  std::int32_t kind;
  Extension* next;
};
constexpr std::int32_t metadata_extension = 1;
struct Version {
  std::size_t size;
  Extension* extension;
  std::int32_t major;
  std::int32_t minor;
};
struct Metadata {
  std::size_t size;
  Version version;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct NewError {
  std::size_t size;
  Extension* extension;
  const char* message;
  std::int32_t code;
};
constexpr std::int32_t invalid_argument = 3, resource_exhausted = 8, internal = 13, unavailable = 14;
struct StreamRequest {
  std::size_t size;
  Extension* extension;
  void* context;
  void* stream;
};
struct OrdinalRequest {
  std::size_t size;
  Extension* extension;
  void* context;
  std::int32_t ordinal;
};
struct Interface {
  std::size_t size;
  Extension* extension;
  Version version;
  const void* inside;
  Error* (*make_error)(NewError*);
  void* between_error_and_stream[3];
  Error* (*stream_of)(StreamRequest*);
  void* between_stream_and_ordinal[12];
  Error* (*ordinal_of)(OrdinalRequest*);  // later libraries; `size` tells
};

struct Buffer {
  std::size_t size;
  Extension* extension;
  std::int32_t type;
  void* data;
  std::int64_t rank;
  std::int64_t* shape;
};
struct Buffers {
  std::size_t size;
  Extension* extension;
  std::int64_t count;
  std::int32_t* kinds;
  Buffer** all;
};
struct Text {
  const char* data;
  std::size_t size;
};
struct Number {
  std::int32_t type;
  void* value;
};
struct Attributes {
  std::size_t size;
  Extension* extension;
  std::int64_t count;
  std::int32_t* kinds;
  Text** names;
  void** values;
};
struct Frame {
  std::size_t size;
  Extension* extension;
  const Interface* interface;
  void* context;
  std::int32_t stage;
  Buffers operands;
  Buffers results;
  Attributes attributes;
};

}  // namespace tilewright::python::xla
