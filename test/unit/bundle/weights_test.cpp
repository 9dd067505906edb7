// Recipes executed into weights.bin: every operation of the dialect, every layout, and what is refused.
#include "compiler/bundle/Pack.h"
#include "compiler/bundle/RopeTable.h"
#include "compiler/bundle/Weights.h"
#include "compiler/support/MappedFile.h"
#include "dialects/Dialects.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace headrace;

namespace {

/// A folder with a file `c.bin` of the f32 numbers 0, 1, 2 ... and a module over it.
class Scratch {
public:
  explicit Scratch(size_t count = 256) {
    std::filesystem::create_directory(path);
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    for (size_t i = 0; i != count; ++i)
      values.push_back(float(i));
    store();
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  void store() {
    std::FILE *file = std::fopen((path + "/c.bin").c_str(), "wb");
    std::fwrite(values.data(), 4, values.size(), file);
    std::fclose(file);
  }
  /// The bytes of weights.bin, or the first diagnostic.
  std::string write(const std::string &weights, int sectionBytes, unsigned threads = 2) {
    std::string text = "plan.base @section0 {device = 0 : i32, kind = \"section\", section = 0 : i32, bytes = " +
                       std::to_string(sectionBytes) + " : i64, align = 128 : i64}\n" + weights;
    std::string diagnostic;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      if (diagnostic.empty())
        diagnostic = d.str();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return diagnostic;
    WeightsInput input;
    input.module = *module;
    input.checkpointFolder = path;
    input.threads = threads;
    auto written = writeWeights(input, path + "/weights.bin");
    return failed(written) ? diagnostic : *readFile(path + "/weights.bin");
  }
  std::vector<float> values;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("hr-weights-" + std::to_string(::getpid()))).string();

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

std::string range(const std::string &result, int first, int rows, int cols) {
  std::string type = cols ? std::to_string(rows) + "x" + std::to_string(cols) : std::to_string(rows);
  return result + " = recipe.range \"t\" in \"c.bin\" offset " + std::to_string(first * 4) + " bytes " +
         std::to_string(rows * (cols ? cols : 1) * 4) + " : tensor<" + type + "xf32>\n";
}

std::string weight(const std::string &type, const std::string &attributes, const std::string &recipe) {
  return "model.weight @w : tensor<" + type + "xf32> attributes {device = 0 : i32, offset = 0 : i64, " + attributes +
         "} {\n" + recipe + "recipe.yield %r : tensor<" + type + "xf32>\n}\n";
}

std::vector<float> floats(const std::string &file, size_t count) {
  std::vector<float> out(count);
  REQUIRE(file.size() >= 16384 + count * 4);
  std::memcpy(out.data(), file.data() + 16384, count * 4);
  return out;
}

const char kVector[] = "enc = #enc.f32, layout = \"vector\", bytes = 128 : i64";

} // namespace

TEST_CASE("vectors are joined, interleaved and padded with zeros") {
  Scratch scratch;
  auto joined = scratch.write(weight("5", kVector,
                                     range("%a", 10, 2, 0) + range("%b", 20, 3, 0) +
                                         "%r = recipe.concat %a, %b : tensor<2xf32>, tensor<3xf32> to tensor<5xf32>\n"),
                              128);
  CHECK(floats(joined, 7) == std::vector<float>{10, 11, 20, 21, 22, 0, 0});
  auto woven = scratch.write(
      weight("8", kVector,
             range("%a", 10, 3, 0) + range("%b", 20, 3, 0) +
                 "%r = recipe.interleave %a, %b tile 2 : tensor<3xf32>, tensor<3xf32> to tensor<8xf32>\n"),
      128);
  CHECK(floats(woven, 8) == std::vector<float>{10, 11, 20, 21, 12, 0, 22, 0});
}

TEST_CASE("matrices are transposed, padded and narrowed on their way to a tile") {
  Scratch scratch;
  const std::string attributes = "enc = #enc.f32, layout = \"t32\", bytes = 512 : i64";
  auto file = scratch.write(weight("3x4", attributes,
                                   range("%a", 1, 3, 2) + "%p = recipe.pad %a : tensor<3x2xf32> to tensor<4x3xf32>\n" +
                                       "%r = recipe.transpose %p : tensor<4x3xf32> to tensor<3x4xf32>\n"),
                            512);
  auto tile = floats(file, 128); // [4 inputs][32 outputs] of {{1, 3, 5, 0}, {2, 4, 6, 0}, {0, 0, 0, 0}}
  CHECK(tile[0] == 1);
  CHECK(tile[1] == 2);
  CHECK(tile[32] == 3);
  CHECK(tile[65] == 6);
  CHECK(tile[2] == 0);
  CHECK(tile[96] == 0);

  scratch.values[7] = 1.0f + 0x1p-12f;
  scratch.store();
  auto narrow =
      scratch.write(weight("1", kVector,
                           range("%a", 7, 1, 0) + "%n = recipe.convert %a : tensor<1xf32> to tensor<1xf16>\n" +
                               "%r = recipe.convert %n : tensor<1xf16> to tensor<1xf32>\n"),
                    128);
  CHECK(floats(narrow, 1)[0] == 1.0f);
}

TEST_CASE("rows are taken, swapped, repeated and reshaped") {
  Scratch scratch;
  auto rows = [&](const std::string &type, const std::string &recipe) {
    return floats(scratch.write(weight(type, kVector, recipe), 128), 8);
  };
  CHECK(
      rows("6", range("%a", 10, 12, 0) + "%r = recipe.take %a rows 1 to 3 of 4 : tensor<12xf32> to tensor<6xf32>\n") ==
      std::vector<float>{11, 12, 15, 16, 19, 20, 0, 0});
  CHECK(rows("6", range("%a", 0, 6, 2) + "%t = recipe.take %a rows 1 to 2 of 2 : tensor<6x2xf32> to tensor<3x2xf32>\n" +
                      "%r = recipe.reshape %t : tensor<3x2xf32> to tensor<6xf32>\n") ==
        std::vector<float>{2, 3, 6, 7, 10, 11, 0, 0});
  CHECK(rows("8", range("%a", 0, 8, 0) + "%r = recipe.swap_rows %a blocks 2 of 2 : tensor<8xf32>\n") ==
        std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(rows("6", range("%a", 0, 6, 0) + "%r = recipe.swap_rows %a blocks 3 of 2 : tensor<6xf32>\n") ==
        std::vector<float>{0, 2, 4, 1, 3, 5, 0, 0});
  CHECK(rows("6", range("%a", 3, 2, 0) + "%r = recipe.repeat %a : tensor<2xf32> to tensor<6xf32>\n") ==
        std::vector<float>{3, 4, 3, 4, 3, 4, 0, 0});
}

TEST_CASE("numbers of a recipe are computed in f32") {
  Scratch scratch;
  auto numbers = [&](const std::string &recipe) {
    return floats(scratch.write(weight("2x2", "enc = #enc.f32, layout = \"rows\", bytes = 128 : i64", recipe), 128), 5);
  };
  CHECK(numbers(range("%a", 1, 2, 2) + "%r = recipe.scale %a by 0.1 : tensor<2x2xf32>\n") ==
        std::vector<float>{1 * 0.1f, 2 * 0.1f, 3 * 0.1f, 4 * 0.1f, 0});
  CHECK(numbers(range("%a", 1, 2, 2) + "%r = recipe.add_constant %a, 0.1 : tensor<2x2xf32>\n") ==
        std::vector<float>{1 + 0.1f, 2 + 0.1f, 3 + 0.1f, 4 + 0.1f, 0});
  CHECK(numbers(range("%a", 1, 2, 2) + range("%b", 10, 1, 2) +
                "%r = recipe.add %a, %b : tensor<2x2xf32>, tensor<1x2xf32>\n") ==
        std::vector<float>{11, 13, 13, 15, 0});
  CHECK(numbers(range("%a", 1, 2, 2) + "%z = recipe.zeros : tensor<2x2xf32>\n" +
                "%r = recipe.add %z, %a : tensor<2x2xf32>, tensor<2x2xf32>\n") == std::vector<float>{1, 2, 3, 4, 0});
}

TEST_CASE("products and literals are made when the file is written") {
  Scratch scratch;
  auto product =
      scratch.write(weight("2x3", "enc = #enc.f32, layout = \"rows\", bytes = 128 : i64",
                           range("%a", 1, 2, 2) + range("%b", 10, 2, 3) +
                               "%r = recipe.matmul %a, %b : tensor<2x2xf32>, tensor<2x3xf32> to tensor<2x3xf32>\n"),
                    128);
  CHECK(floats(product, 7) == std::vector<float>{36, 39, 42, 82, 89, 96, 0});
  auto numbers = scratch.write(weight("2", kVector,
                                      "%l = recipe.literal [0.5, 1.5, 2.5] : tensor<3xf32>\n"
                                      "%r = recipe.take %l rows 1 to 3 of 3 : tensor<3xf32> to tensor<2xf32>\n"),
                               128);
  CHECK(floats(numbers, 3) == std::vector<float>{1.5, 2.5, 0});
}

TEST_CASE("a large matrix is transposed, a stored one by its columns and a computed one by blocks") {
  Scratch scratch(300 * 300);
  for (const char *step : {"", "%s = recipe.scale %a by 2.0 : tensor<300x300xf32>\n"}) {
    const bool computed = *step != 0;
    auto file = scratch.write(weight("300x300", "enc = #enc.f32, layout = \"rows\", bytes = 360064 : i64",
                                     range("%a", 0, 300, 300) + step + "%r = recipe.transpose " +
                                         (computed ? "%s" : "%a") + " : tensor<300x300xf32> to tensor<300x300xf32>\n"),
                              360064);
    auto turned = floats(file, 90000);
    for (size_t i = 0; i != 90000; ++i)
      REQUIRE(turned[i] == float((i % 300 * 300 + i / 300) * (computed ? 2 : 1)));
  }
}

TEST_CASE("a rope table holds the rows of all positions") {
  Scratch scratch;
  auto file = scratch.write(weight("40x2x4", "enc = #enc.f32, layout = \"rows\", bytes = 1280 : i64",
                                   "%r = recipe.rope_table theta 100.0 : tensor<40x2x4xf32>\n"),
                            1280);
  auto table = floats(file, 320);
  CHECK(table[0] == 1.0f); // cosines of position 0
  CHECK(table[4] == 0.0f);
  CHECK(table[39 * 8] == float(std::cos(39.0L)));
  CHECK(table[39 * 8 + 4] == float(std::sin(39.0L)));

  scratch.values[3] = 2.0f;
  scratch.store();
  auto divided =
      scratch.write(weight("40x2x1", "enc = #enc.f32, layout = \"rows\", bytes = 320 : i64",
                           range("%d", 3, 1, 0) + "%r = recipe.rope_table theta 100.0 divisors %d : tensor<1xf32> "
                                                  "{attention_factor = 1.5 : f64} : tensor<40x2x1xf32>\n"),
                    384);
  CHECK(floats(divided, 80)[78] == float(std::cos(19.5L)) * 1.5f);
}

TEST_CASE("a quantized matrix is its tiles, for any number of threads") {
  Scratch scratch(70 * 40);
  T32Shape shape{Storage::W4, 70, 40, 32};
  const std::string bytes = std::to_string(shape.bytes());
  const std::string text = weight(
      "70x40", "enc = #enc.w4<group = 32, sym>, layout = \"t32\", bytes = " + bytes + " : i64", range("%r", 0, 70, 40));
  auto file = scratch.write(text, int(shape.bytes()), 1);
  CHECK(file == scratch.write(text, int(shape.bytes()), 5));
  std::vector<uint8_t> last(shape.tileBytes());
  std::vector<float> rows(32 * 40, 0.0f);
  std::copy(scratch.values.begin() + 64 * 40, scratch.values.end(), rows.begin());
  packTile(shape, rows.data(), last.data());
  CHECK(std::memcmp(last.data(), file.data() + 16384 + 2 * shape.tileBytes(), last.size()) == 0);
}

TEST_CASE("weights that cannot be made are refused") {
  Scratch scratch;
  CHECK(scratch.write(weight("2", kVector, range("%r", 255, 2, 0)), 128) ==
        "c.bin: tensor 't': expected 1028 bytes in the file, found 1024");
  CHECK(scratch.write(weight("2x2", "enc = #enc.f32, layout = \"t32\", bytes = 99 : i64", range("%r", 0, 2, 2)), 512) ==
        "weight 'w': expected 256 bytes, found 99");
  CHECK(scratch.write(weight("2x2", "enc = #enc.f32, layout = \"fm\", bytes = 256 : i64", range("%r", 0, 2, 2)), 512) ==
        "weight 'w': expected layout t32, vector or rows, found 'fm'");
  CHECK(scratch.write("model.weight @w : tensor<2xf32> {\n" + range("%r", 0, 2, 0) +
                          "recipe.yield %r : tensor<2xf32>\n}\n",
                      512) == "weight 'w': expected a place, an encoding and a layout");
  scratch.values[75] = NAN;
  scratch.values[90] = INFINITY;
  scratch.store();
  CHECK(scratch.write(weight("40x2", "enc = #enc.f16, layout = \"t32\", bytes = 256 : i64", range("%r", 20, 40, 2)),
                      512) ==
        "weight 'w': expected values up to 65520 in magnitude, found nan in row 27, column 1 of 't'");
  CHECK(scratch.write(weight("2", kVector, range("%r", 89, 2, 0)), 128) ==
        "weight 'w': expected values up to 3.40282e+38 in magnitude, found inf in row 1, column 0 of 't'");
}

//===-- blocks
//--------------------------------------------------------------------------------------------------------------===//

/// Two rows of two blocks of Q4_1 in `c.bin`: scale 1/2 and 1/4, minimum -3, codes i % 16.
static std::string q4_1Rows() {
  std::string bytes;
  for (int block = 0; block != 4; ++block) {
    bytes += block % 2 ? std::string("\x00\x34", 2) : std::string("\x00\x38", 2);
    bytes += std::string("\x00\xc2", 2);
    for (int i = 0; i != 16; ++i)
      bytes += char(i | i << 4);
  }
  return bytes;
}

static std::string blockWeight(const std::string &attributes) {
  return weight("2x64", attributes,
                "%a = recipe.range \"t\" in \"c.bin\" offset 0 bytes 80 : tensor<2x40xi8>\n"
                "%r = recipe.from_blocks %a as \"Q4_1\" : tensor<2x40xi8> to tensor<2x64xf32>\n");
}

TEST_CASE("blocks become values") {
  Scratch scratch;
  std::string blocks = q4_1Rows();
  scratch.values.resize(blocks.size() / 4);
  std::memcpy(scratch.values.data(), blocks.data(), blocks.size());
  scratch.store();
  auto file = scratch.write(blockWeight("enc = #enc.f32, layout = \"t32\", bytes = 8192 : i64"), 8192);
  auto tile = floats(file, 64 * 32); // [64 inputs][32 outputs]
  for (size_t k = 0; k != 64; ++k) {
    CHECK(tile[k * 32] == float(k % 16) * (k < 32 ? 0.5f : 0.25f) - 3.0f);
    CHECK(tile[k * 32 + 1] == tile[k * 32]);
    CHECK(tile[k * 32 + 2] == 0.0f);
  }
}
