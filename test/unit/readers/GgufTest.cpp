#include "compiler/import/gguf/Gguf.h"
#include "Fixtures.h"
#include "GgufFixture.h"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>

using namespace headrace;
using namespace fixtures;

/// The bytes in a heap block of exactly their size, so that the address sanitizer sees a read past the end.
struct ExactFile {
  explicit ExactFile(const std::string &file) : size(file.size()), block(new uint8_t[file.size()]) {
    std::memcpy(block.get(), file.data(), file.size());
  }
  Result<GgufHeader> read() const { return readGgufHeader(block.get(), size, "m.gguf"); }
  size_t size;
  std::unique_ptr<uint8_t[]> block;
};

static GgufMaker twoTensors() {
  GgufMaker maker;
  maker.text("general.architecture", "llama")
      .pair("llama.block_count", kU32, raw(uint32_t(2)))
      .array("tokenizer.ggml.tokens", kString, 3, ggufString("a") + ggufString("") + ggufString("\xe2\x96\x81the"))
      .array("tokenizer.ggml.scores", kF32, 2, raw(0.5f) + raw(-1.0f))
      .pair("x.bool", kBool, raw(uint8_t(1)));
  maker.tensor("token_embd.weight", {32, 3}, 8, std::string(3 * 34, 'q'));
  maker.tensor("output_norm.weight", {2}, 0, std::string(8, 'f'));
  return maker;
}

TEST_CASE("a GGUF header gives metadata and tensors") {
  for (uint32_t version : {2u, 3u}) {
    GgufMaker maker = twoTensors();
    maker.version = version;
    ExactFile file(maker.bytes());
    auto header = file.read();
    REQUIRE(header);
    const GgufMetadata &metadata = header->metadata;
    CHECK(*metadata.text("general.architecture") == "llama");
    CHECK(*metadata.integer("llama.block_count") == 2);
    CHECK(*metadata.number("llama.block_count") == 2.0);
    CHECK(*metadata.texts("tokenizer.ggml.tokens") == std::vector<std::string_view>{"a", "", "\xe2\x96\x81the"});
    CHECK(*metadata.numbers("tokenizer.ggml.scores") == std::vector<double>{0.5, -1.0});
    CHECK(*metadata.boolean("x.bool") == true);
    CHECK(metadata.countOf("tokenizer.ggml.tokens") == 3);
    CHECK(metadata.keys().front() == "general.architecture");
    CHECK_FALSE(metadata.has("general.name"));
    REQUIRE(header->tensors.size() == 2);
    CHECK(header->tensors[0].name == "token_embd.weight");
    CHECK(header->tensors[0].shape == std::vector<int64_t>{3, 32}); // outermost first
    CHECK(header->tensors[0].type == ElementType::Q8_0);
    CHECK(header->tensors[0].typeName == "Q8_0");
    CHECK(header->tensors[0].bytes == 3 * 34);
    CHECK(header->tensors[0].offset % 32 == 0);
    CHECK(maker.bytes()[size_t(header->tensors[1].offset)] == 'f');
  }
}

TEST_CASE("all value types of GGUF are read") {
  GgufMaker maker;
  maker.pair("u8", kU8, raw(uint8_t(200))).pair("i8", kI8, raw(int8_t(-3))).pair("u16", kU16, raw(uint16_t(65535)));
  maker.pair("i16", kI16, raw(int16_t(-300))).pair("u32", kU32, raw(uint32_t(4000000000)));
  maker.pair("i32", kI32, raw(int32_t(-5)))
      .pair("u64", kU64, raw(uint64_t(1) << 40))
      .pair("i64", kI64, raw(int64_t(-7)));
  maker.pair("f32", kF32, raw(1.5f)).pair("f64", kF64, raw(0.1));
  maker.array("i32s", kI32, 2, raw(int32_t(-1)) + raw(int32_t(9))).array("bools", kBool, 2, std::string("\1\0", 2));
  maker.array("nested", kArray, 1, raw(uint32_t(kU8)) + raw(uint64_t(2)) + "ab").array("none", kString, 0, "");
  ExactFile file(maker.bytes());
  auto header = file.read();
  REQUIRE(header);
  const GgufMetadata &m = header->metadata;
  CHECK(*m.integer("u8") == 200);
  CHECK(*m.integer("i8") == -3);
  CHECK(*m.integer("u16") == 65535);
  CHECK(*m.integer("i16") == -300);
  CHECK(*m.integer("u32") == 4000000000);
  CHECK(*m.integer("i32") == -5);
  CHECK(*m.integer("u64") == int64_t(1) << 40);
  CHECK(*m.integer("i64") == -7);
  CHECK(*m.number("f32") == 1.5);
  CHECK(*m.number("f64") == 0.1);
  CHECK(*m.integers("i32s") == std::vector<int64_t>{-1, 9});
  CHECK(*m.booleans("bools") == std::vector<bool>{true, false});
  CHECK(m.texts("none")->empty());
  CHECK(m.isArray("nested"));
}

TEST_CASE("metadata of another type or value than asked for is refused with file, key, expected and found") {
  GgufMaker maker = twoTensors();
  maker.pair("big", kU64, raw(uint64_t(1) << 63)).pair("inf", kF32, raw(std::numeric_limits<float>::infinity()));
  maker.array("nested", kArray, 0, "");
  ExactFile file(maker.bytes());
  auto header = file.read();
  REQUIRE(header);
  const GgufMetadata &m = header->metadata;
  CHECK(m.text("no").error().message() == "m.gguf: key 'no': expected a string, found no such key");
  CHECK(m.text("x.bool").error().message() == "m.gguf: key 'x.bool': expected a string, found a boolean");
  CHECK(m.integer("general.architecture").error().message() ==
        "m.gguf: key 'general.architecture': expected an integer, found a string");
  CHECK(m.integer("tokenizer.ggml.scores").error().message() ==
        "m.gguf: key 'tokenizer.ggml.scores': expected an integer, found an array of f32");
  CHECK(m.integer("big").error().message() ==
        "m.gguf: key 'big': expected an integer below 2^63, found 9223372036854775808");
  CHECK(m.number("inf").error().message() == "m.gguf: key 'inf': expected a finite number, found another");
  CHECK(m.boolean("llama.block_count").error().message() ==
        "m.gguf: key 'llama.block_count': expected a boolean, found a u32");
  CHECK(m.texts("tokenizer.ggml.scores").error().message() ==
        "m.gguf: key 'tokenizer.ggml.scores': expected an array of strings, found an array of f32");
  CHECK(m.integers("nested").error().message() ==
        "m.gguf: key 'nested': expected an array of integers, found an array of arrays");
  CHECK(m.numbers("llama.block_count").error().message() ==
        "m.gguf: key 'llama.block_count': expected an array of numbers, found a u32");
}

namespace {
struct Row {
  std::string file, message;
};
GgufMaker one(const std::vector<uint64_t> &sizes, uint32_t type, const std::string &data) {
  return GgufMaker().tensor("t", sizes, type, data);
}
GgufMaker aligned(uint64_t alignment) { return GgufMaker().pair("general.alignment", kU32, raw(uint32_t(alignment))); }
} // namespace

static void checkRows(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    ExactFile file(row.file);
    auto header = file.read();
    CHECK_FALSE(header);
    if (!header)
      CHECK(header.error().message() == row.message);
  }
}

TEST_CASE("GGUF files with a wrong start are refused with the reason") {
  auto with = [](auto change) {
    GgufMaker maker = twoTensors();
    change(maker);
    return maker.header();
  };
  checkRows({
      {"", "m.gguf: expected the magic number 'GGUF', found ''"},
      {"GGU", "m.gguf: expected the magic number 'GGUF', found 'GGU'"},
      {with([](GgufMaker &m) { m.magic = "tjgg"; }), "m.gguf: expected the magic number 'GGUF', found 'tjgg'"},
      {"GGUF\3", "m.gguf: expected a version of 4 bytes, found 1 byte before the end of the file"},
      {with([](GgufMaker &m) { m.version = 0x03000000; }),
       "m.gguf: expected a little-endian file, found a big-endian one"},
      {with([](GgufMaker &m) { m.version = 1; }), "m.gguf: expected version 2 or 3 of GGUF, found version 1"},
      {with([](GgufMaker &m) { m.version = 4; }), "m.gguf: expected version 2 or 3 of GGUF, found version 4"},
      {"GGUF" + raw(uint32_t(3)) + "12345678",
       "m.gguf: expected the counts of tensors and keys of 16 bytes, found 8 bytes before the end of the file"},
      {"GGUF" + raw(uint32_t(3)) + raw(uint64_t(0)) + raw(~uint64_t(0)),
       "m.gguf: expected at most 0 keys in a file of 24 bytes, found 18446744073709551615"},
      {"GGUF" + raw(uint32_t(3)) + raw(uint64_t(1) << 63) + raw(uint64_t(0)),
       "m.gguf: expected at most 0 tensors in a file of 24 bytes, found 9223372036854775808"},
  });
}

TEST_CASE("malformed GGUF metadata is refused with the reason") {
  const std::string huge = raw(~uint64_t(0));
  auto pairOf = [](const std::string &bytes) {
    GgufMaker maker;
    maker.pairs.push_back(bytes);
    return maker.header();
  };
  checkRows({
      {pairOf(huge + raw(uint32_t(0)) + "x"), "m.gguf: key 0: expected a name of 18446744073709551615 bytes, found 5 "
                                              "bytes before the end of the file"},
      {pairOf(ggufString("") + raw(uint32_t(0)) + "x"), "m.gguf: key 0: expected a name, found an empty one"},
      {pairOf(ggufString("k") + raw(uint32_t(13)) + "x"),
       "m.gguf: key 'k': expected a value type of the format (0 to 12), found 13"},
      {pairOf(ggufString("k") + raw(uint32_t(kU64)) + "x"),
       "m.gguf: key 'k': expected at most 0 elements before the end of the file, found 1"},
      {pairOf(ggufString("k") + raw(uint32_t(kString)) + huge),
       "m.gguf: key 'k': expected a string of 18446744073709551615 bytes, found 0 bytes before the end of the file"},
      {pairOf(ggufString("k") + raw(uint32_t(kString)) + "xxxx"),
       "m.gguf: key 'k': expected a length of 8 bytes, found 4 bytes before the end of the file"},
      {GgufMaker().pair("k", kBool, "\2").header(), "m.gguf: key 'k': expected booleans of 0 or 1, found 2"},
      {GgufMaker().array("k", kF32, uint64_t(1) << 62, "1234").header(),
       "m.gguf: key 'k': expected at most 1 elements before the end of the file, found 4611686018427387904"},
      {GgufMaker().array("k", 99, 1, "1").header(),
       "m.gguf: key 'k': expected a value type of the format (0 to 12), found 99"},
      {GgufMaker().array("k", kString, 2, ggufString("a") + raw(uint64_t(9)) + "12345678").header(),
       "m.gguf: key 'k': expected a string of 9 bytes, found 8 bytes before the end of the file"},
      {GgufMaker().text("k", "a").text("k", "a").header(), "m.gguf: key 'k': expected each key once, found it twice"},
      {GgufMaker().text("a\nb", "a").text("a\nb", "a").header(),
       "m.gguf: key 'a\\x0ab': expected each key once, found it twice"},
      {aligned(0).header(), "m.gguf: key 'general.alignment': expected a power of two up to 2^30, found 0"},
      {aligned(48).header(), "m.gguf: key 'general.alignment': expected a power of two up to 2^30, found 48"},
      {aligned(0x80000000).header(),
       "m.gguf: key 'general.alignment': expected a power of two up to 2^30, found 2147483648"},
      {GgufMaker().text("general.alignment", "32").header(),
       "m.gguf: key 'general.alignment': expected an integer, found a string"},
  });
  std::string deep = raw(uint32_t(kU8)) + raw(uint64_t(0));
  for (int i = 0; i < 5; ++i)
    deep = raw(uint32_t(kArray)) + raw(uint64_t(1)) + deep;
  checkRows({{GgufMaker().pair("k", kArray, deep).header(),
              "m.gguf: key 'k': expected arrays nested at most 4 deep, found deeper ones"}});
}

TEST_CASE("malformed GGUF tensors are refused with the reason") {
  const uint64_t big = uint64_t(1) << 32;
  auto bytes = [](size_t count) { return std::string(count, 'x'); };
  GgufMaker counted = one({2}, 0, bytes(8));
  counted.extraTensors = 1;
  checkRows({
      {counted.header() + std::string(36, '\xff'), "m.gguf: tensor 1: expected a name of 18446744073709551615 bytes, "
                                                   "found 28 bytes before the end of the file"},
      {GgufMaker().tensor("", {2}, 0, bytes(8)).bytes(), "m.gguf: tensor 0: expected a name, found an empty one"},
      {one({2}, 0, bytes(8)).tensor("t", {2}, 0, bytes(8)).bytes(),
       "m.gguf: tensor 't': expected each tensor once, found it twice"},
      {one({}, 0, bytes(40)).bytes(), "m.gguf: tensor 't': expected 1 to 4 dimensions, found 0"},
      {one({1, 1, 1, 1, 1}, 0, bytes(4)).bytes(), "m.gguf: tensor 't': expected 1 to 4 dimensions, found 5"},
      {one({4, 0}, 0, bytes(4)).bytes(), "m.gguf: tensor 't': expected dimensions of at least 1, found 0"},
      {one({big, big}, 0, bytes(4)).bytes(),
       "m.gguf: tensor 't': expected fewer than 2^56 elements, found a dimension of 4294967296"},
      {one({~uint64_t(0)}, 0, bytes(4)).bytes(),
       "m.gguf: tensor 't': expected fewer than 2^56 elements, found a dimension of 18446744073709551615"},
      {one({2}, 4, bytes(8)).bytes(), "m.gguf: tensor 't': expected a tensor type of the format, found type 4"},
      {one({2}, 0xffffffff, bytes(8)).bytes(),
       "m.gguf: tensor 't': expected a tensor type of the format, found type 4294967295"},
      {one({48, 2}, 2, bytes(54)).bytes(),
       "m.gguf: tensor 't': expected rows of whole blocks of 32 for Q4_0, found [2, 48]"},
      {one({128, 2}, 12, bytes(144)).bytes(),
       "m.gguf: tensor 't': expected rows of whole blocks of 256 for Q4_K, found [2, 128]"},
      {GgufMaker().info("t", {2}, 0, 8).bytes() + bytes(64),
       "m.gguf: tensor 't': expected an offset that 32 divides, found 8"},
      {one({3}, 0, bytes(8)).bytes(),
       "m.gguf: tensor 't': expected 12 bytes at byte 0 of the data, found 8 bytes of data"},
      {GgufMaker().info("t", {2}, 0, 64).bytes() + bytes(64),
       "m.gguf: tensor 't': expected 8 bytes at byte 64 of the data, found 64 bytes of data"},
      {GgufMaker().info("t", {2}, 0, ~uint64_t(0) - 31).bytes() + bytes(64),
       "m.gguf: tensor 't': expected 8 bytes at byte 18446744073709551584 of the data, found 64 bytes of data"},
      {GgufMaker().info("t", {2}, 0, 0).header(),
       "m.gguf: tensor 't': expected 8 bytes at byte 0 of the data, found 0 bytes of data"},
      {GgufMaker().info("a", {9}, 0, 0).info("b", {2}, 0, 32).bytes() + bytes(64),
       "m.gguf: tensor 'b': expected data from byte 36 on, found an overlap from byte 32"},
  });
}

TEST_CASE("general.alignment moves the data") {
  GgufMaker maker = aligned(256);
  maker.alignment = 256;
  maker.tensor("a", {2}, 0, std::string(8, 'a')).tensor("b", {2}, 1, std::string(4, 'b'));
  ExactFile file(maker.bytes());
  auto header = file.read();
  REQUIRE(header);
  CHECK(header->tensors[1].offset == header->tensors[0].offset + 256);
  CHECK(file.block[size_t(header->tensors[1].offset)] == 'b');
}

//===-- mutations
//------------------------------------------------------------------------------------------------------------===//

TEST_CASE("truncated GGUF files are refused") {
  const std::string file = twoTensors().bytes();
  for (size_t length = 0; length < file.size(); ++length)
    REQUIRE_FALSE(ExactFile(file.substr(0, length)).read());
}

TEST_CASE("mutated GGUF headers are refused, or what they promise holds") {
  const GgufMaker maker = twoTensors();
  const std::string file = maker.bytes();
  size_t refused = 0, accepted = 0;
  for (size_t at = 0; at < maker.header().size(); ++at)
    for (int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string mutant = file;
      mutant[at] = char(mutant[at] ^ flip);
      ExactFile exact(mutant);
      auto header = exact.read();
      if (!header) {
        ++refused;
        CHECK(header.error().message().find('\n') == std::string::npos);
        continue;
      }
      ++accepted;
      uint64_t end = 0;
      for (const TensorEntry &tensor : header->tensors) {
        CHECK(tensor.offset >= end);
        end = tensor.offset + tensor.bytes;
      }
      CHECK(end <= mutant.size());
      for (std::string_view key : header->metadata.keys()) {
        (void)header->metadata.texts(key);
        (void)header->metadata.integers(key);
        (void)header->metadata.number(key);
      }
    }
  CHECK(refused > 0);
  CHECK(accepted > 0); // names and values
}

//===-- files
//----------------------------------------------------------------------------------------------------------------===//

static std::string part(int64_t number, int64_t count, int64_t tensors, const std::string &name) {
  GgufMaker maker;
  maker.pair("split.no", kU16, raw(uint16_t(number))).pair("split.count", kU16, raw(uint16_t(count)));
  maker.pair("split.tensors.count", kI32, raw(int32_t(tensors)));
  return maker.tensor(name, {2}, 0, std::string(8, name[0])).bytes();
}

TEST_CASE("a GGUF file and its parts become one checkpoint") {
  TemporaryFolder folder;
  folder.write("m.gguf", twoTensors().bytes());
  auto single = openGguf(folder.path + "/m.gguf");
  REQUIRE(single);
  CHECK(single->checkpoint.find("output_norm.weight")->data[0] == 'f');
  CHECK(single->checkpoint.file("m.gguf") != nullptr);
  CHECK(looksLikeGguf(folder.path + "/m.gguf"));

  folder.write("s-00001-of-00002.gguf", part(0, 2, 2, "a"));
  folder.write("s-00002-of-00002.gguf", part(1, 2, 2, "b"));
  auto split = openGguf(folder.path + "/s-00001-of-00002.gguf");
  REQUIRE(split);
  CHECK(split->checkpoint.tensors().size() == 2);
  CHECK(split->checkpoint.find("b")->file == "s-00002-of-00002.gguf");
  CHECK(split->checkpoint.find("b")->data[0] == 'b');
  CHECK(*split->metadata.integer("split.no") == 0);
}

TEST_CASE("split GGUF files whose parts disagree are refused with the reason") {
  TemporaryFolder folder;
  const std::string first = "s-00001-of-00002.gguf", second = "s-00002-of-00002.gguf";
  auto refusal = [&](const std::string &opened) {
    auto file = openGguf(folder.path + "/" + opened);
    return file ? std::string("accepted") : file.error().message();
  };
  folder.write(first, part(0, 2, 2, "a"));
  CHECK(refusal(first) == first + ": expected the part '" + second + "' beside it, found no such file");
  folder.write(second, part(0, 2, 2, "b"));
  CHECK(refusal(first) == second + ": key 'split.no': expected 1, found 0");
  folder.write(second, part(1, 3, 2, "b"));
  CHECK(refusal(first) == second + ": key 'split.count': expected 2, found 3");
  folder.write(second, part(1, 2, 2, "a"));
  CHECK(refusal(first) == second + ": tensor 'a': expected each tensor in one file, found it in " + first + " too");
  folder.write(second, part(1, 2, 2, "b"));
  CHECK(refusal(second) == second + ": key 'split.no': expected 0, found 1");
  folder.write(first, part(0, 2, 3, "a"));
  CHECK(refusal(first) == first + ": key 'split.tensors.count': expected 2, found 3");
  folder.write("other.gguf", part(0, 2, 2, "a"));
  CHECK(refusal("other.gguf") == folder.path + "/other.gguf: expected a name that ends with '-00001-of-00002.gguf' for "
                                               "the first of 2 parts, found 'other.gguf'");
  folder.write(second, "GGUX");
  folder.write(first, part(0, 2, 2, "a"));
  CHECK(refusal(first) == second + ": expected the magic number 'GGUF', found 'GGUX'");
}
