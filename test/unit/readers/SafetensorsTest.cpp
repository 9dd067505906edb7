#include "compiler/import/safetensors/Safetensors.h"
#include "Fixtures.h"

#include <catch2/catch.hpp>

using namespace headrace;
using fixtures::safetensors;

static Result<SafetensorsHeader> read(const std::string &file) {
  return readSafetensorsHeader(reinterpret_cast<const uint8_t *>(file.data()), file.size(), "m.safetensors");
}

static const char kPair[] =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[2,1],"data_offsets":[8,12]}})";

TEST_CASE("a safetensors header lists its tensors by offset") {
  auto header = read(safetensors(kPair + std::string("   "), std::string(12, 'x')));
  REQUIRE(header);
  REQUIRE(header->tensors.size() == 2);
  const TensorEntry &b = header->tensors[1];
  CHECK(b.name == "b");
  CHECK(b.type == ElementType::F16);
  CHECK(b.shape == std::vector<int64_t>{2, 1});
  CHECK(b.offset == 8 + sizeof kPair - 1 + 3 + 8);
  CHECK(b.bytes == 4);
}

TEST_CASE("scalars, empty tensors, metadata and types that weights do not use are read") {
  auto header =
      read(safetensors(R"({"__metadata__":{"format":"pt"},"e":{"dtype":"F32","shape":[0,5],"data_offsets":[8,8]},)"
                       R"("n":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})",
                       "12345678"));
  REQUIRE(header);
  CHECK(header->metadata.at("format") == "pt");
  CHECK(header->tensors[0].typeName == "I64");
  CHECK(header->tensors[0].type == ElementType::Other);
  CHECK(header->tensors[1].bytes == 0);
}

static std::string one(const std::string &fields) { return R"({"t":{)" + fields + "}}"; }

TEST_CASE("malformed safetensors files are refused with the reason") {
  struct Row {
    std::string file, message;
  };
  const std::string data8(8, 'x');
  auto lengthOnly = [](unsigned char first, unsigned char last) {
    return std::string(1, char(first)) + std::string(6, '\0') + char(last);
  };
  const Row rows[] = {
      {"", "m.safetensors: expected a header length of 8 bytes, found 0 bytes"},
      {"1234567", "m.safetensors: expected a header length of 8 bytes, found 7 bytes"},
      {lengthOnly(9, 0) + "{}", "m.safetensors: expected a header of 9 bytes, found 2 bytes after the header length"},
      {lengthOnly(0, 0x80),
       "m.safetensors: expected a header of at most 100000000 bytes, found 9223372036854775808 bytes"},
      {safetensors("", ""), "m.safetensors: header: expected a JSON object, found nothing"},
      {safetensors("[]", ""), "m.safetensors: header: expected a JSON object, found the byte '['"},
      {safetensors("{", ""), "m.safetensors: header: expected valid JSON, found a syntax error at byte 2"},
      {safetensors("{}x", ""), "m.safetensors: header: expected valid JSON, found a syntax error at byte 3"},
      {safetensors("{\"\xff\":1}", ""), "m.safetensors: header: expected valid JSON, found a syntax error at byte 3"},
      {safetensors(R"({"t":1e999})", ""), "m.safetensors: header: expected valid JSON, found a number out of range"},
      {safetensors(R"({"t":)" + std::string(99, '[') + std::string(99, ']') + "}", ""),
       "m.safetensors: header: expected valid JSON, found nesting deeper than 64"},
      {safetensors(R"({"t":1,"t":2})", ""),
       "m.safetensors: header: expected valid JSON, found the key 't' twice in one object"},
      {safetensors(R"({"t":[]})", ""), "m.safetensors: tensor 't': expected an object, found a list"},
      {safetensors(R"({"":{}})", ""), "m.safetensors: expected tensors with names, found an empty name"},
      {safetensors(R"({"a\nb":1})", ""), "m.safetensors: tensor 'a\\x0ab': expected an object, found the number 1"},
      {safetensors(one(R"("dtype":"F32","shape":[2])"), data8),
       "m.safetensors: tensor 't': expected the field 'data_offsets', found none"},
      {safetensors(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)"), data8),
       "m.safetensors: tensor 't': expected only dtype, shape and data_offsets, found 'x'"},
      {safetensors(one(R"("dtype":"F33","shape":[2],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': dtype: expected a type of the safetensors format, found 'F33'"},
      {safetensors(one(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': dtype: expected a string, found the number 32"},
      {safetensors(one(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': shape: expected non-negative integers, found the number -2"},
      {safetensors(one(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': shape: expected non-negative integers, found the number 2.0"},
      {safetensors(one(R"("dtype":"F32","shape":2,"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': shape: expected a list of integers, found the number 2"},
      {safetensors(one(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': shape: expected at most 8 dimensions, found 9"},
      {safetensors(one(R"("dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': shape: expected a size below 2^61 bytes, found [4294967296, 4294967296, 4]"},
      {safetensors(one(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])"), "xx"),
       "m.safetensors: tensor 't': expected a whole number of bytes, found 12 bits"},
      {safetensors(one(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), data8),
       "m.safetensors: tensor 't': expected 12 bytes for F32 [3], found 8 bytes"},
      {safetensors(one(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), data8),
       "m.safetensors: tensor 't': data_offsets: expected begin <= end, found [8,0]"},
      {safetensors(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])"), data8),
       "m.safetensors: tensor 't': data_offsets: expected two non-negative integers, found [0,8,9]"},
      {safetensors(one(R"("dtype":"F32","shape":[2],"data_offsets":[1,9])"), data8),
       "m.safetensors: tensor 't': data_offsets: expected an end within the 8 bytes of data, found [1,9]"},
      {safetensors(one(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), data8),
       "m.safetensors: tensor 't': expected data from byte 0 on, found a gap up to byte 4"},
      {safetensors(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), data8),
       "m.safetensors: expected 4 bytes of data, found 8 bytes"},
      {safetensors(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           data8),
       "m.safetensors: tensor 'b': expected data from byte 8 on, found an overlap from byte 4"},
      {safetensors(R"({"__metadata__":[]})", ""),
       "m.safetensors: __metadata__: expected an object of strings, found a list"},
      {safetensors(R"({"__metadata__":{"format":1}})", ""),
       "m.safetensors: __metadata__: 'format': expected a string, found the number 1"},
  };
  for (const Row &row : rows) {
    auto header = read(row.file);
    CHECK_FALSE(header);
    if (!header)
      CHECK(header.error().message() == row.message);
  }
}
