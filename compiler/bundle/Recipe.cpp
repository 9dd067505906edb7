#include "compiler/bundle/Recipe.h"

#include "compiler/bundle/Half.h"
#include "compiler/bundle/RecipeCodes.h"
#include "compiler/bundle/RopeTable.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace mlir;

namespace headrace {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
int64_t rowsOf(Value value) { return typeOf(value).getDimSize(0); }
int64_t rowSize(Value value) { return typeOf(value).getNumElements() / std::max<int64_t>(1, rowsOf(value)); }

/// Stored elements to f32; exact.
void widen(Type element, const uint8_t *bytes, size_t count, float *out) {
  if (element.isF32()) {
    std::memcpy(out, bytes, count * 4);
    return;
  }
  bool half = element.isF16();
  for (size_t i = 0; i != count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + i * 2, 2);
    out[i] = half ? halfToFloat(bits) : bfloat16ToFloat(bits);
  }
}

} // namespace

LogicalResult CheckpointFiles::open(model::WeightOp weight) {
  WalkResult result = weight.walk([&](recipe::RangeOp op) {
    std::string name = op.getFile().str();
    if (!files.count(name)) {
      auto file = MappedFile::open(folder + "/" + name);
      if (!file) {
        op.emitError() << file.error().message();
        return WalkResult::interrupt();
      }
      files.emplace(name, file.take());
    }
    uint64_t size = files.at(name).size(), offset = uint64_t(op.getOffset()), bytes = uint64_t(op.getBytes());
    if (offset <= size && bytes <= size - offset)
      return WalkResult::advance();
    op.emitError() << name << ": tensor '" << op.getTensor() << "': expected " << offset + bytes
                   << " bytes in the file, found " << size;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void CheckpointFiles::release(model::WeightOp weight) const {
  weight.walk([&](recipe::RangeOp op) { file(op.getFile()).release(size_t(op.getOffset()), size_t(op.getBytes())); });
}

void RecipeReader::rows(Value value, int64_t first, int64_t count, float *out) const {
  Operation *op = value.getDefiningOp();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](recipe::RangeOp o) { range(o, first, count, out); })
      .Case([&](recipe::FromBlocksOp o) { fromBlocks(o, first, count, out); })
      .Case([&](recipe::FromGroupsOp o) { fromGroups(o, first, count, out); })
      .Case([&](recipe::ConvertOp o) { convert(o, first, count, out); })
      .Case([&](recipe::ConcatOp o) { concat(o, first, count, out); })
      .Case([&](recipe::InterleaveOp o) { interleave(o, first, count, out); })
      .Case([&](recipe::TransposeOp o) { transpose(o, first, count, out); })
      .Case([&](recipe::PadOp o) { pad(o, first, count, out); })
      .Case([&](recipe::TakeOp o) { take(o, first, count, out); })
      .Case([&](recipe::SwapRowsOp o) { swapRows(o, first, count, out); })
      .Case([&](recipe::ReshapeOp o) { reshape(o, first, count, out); })
      .Case([&](recipe::RepeatOp o) { repeat(o, first, count, out); })
      .Case([&](recipe::ScaleOp o) { scale(o, first, count, out); })
      .Case([&](recipe::AddConstantOp o) { addConstant(o, first, count, out); })
      .Case([&](recipe::AddOp o) { add(o, first, count, out); })
      .Case([&](recipe::LiteralOp o) { std::copy_n(o.getValues().begin() + first, count, out); })
      .Case([&](recipe::MatmulOp o) { matmul(o, first, count, out); })
      .Case([&](recipe::ZerosOp o) { std::fill_n(out, count * rowSize(o), 0.0f); })
      .Case([&](recipe::RopeTableOp o) { ropeTable(o, first, count, out); })
      .Default([](Operation *) { llvm_unreachable("model.weight C1: recipe ops only"); });
}

void RecipeReader::range(recipe::RangeOp op, int64_t first, int64_t count, float *out) const {
  Type element = typeOf(op.getResult()).getElementType();
  int64_t size = rowSize(op.getResult()), width = element.getIntOrFloatBitWidth() / 8;
  const MappedFile &file = files.file(op.getFile());
  widen(element, file.data() + op.getOffset() + first * size * width, size_t(count * size), out);
}

void RecipeReader::fromBlocks(recipe::FromBlocksOp op, int64_t first, int64_t count, float *out) const {
  BlockRows blocks(op, files);
  for (int64_t row = 0; row != count; ++row)
    dequantizeBlocks(blocks.type, blocks.row(first + row), blocks.perRow, out + row * rowSize(op.getResult()));
}

void RecipeReader::fromGroups(recipe::FromGroupsOp op, int64_t first, int64_t count, float *out) const {
  GroupedMatrix matrix = groupedMatrix(op, files);
  for (int64_t row = 0; row != count; ++row)
    matrix.values(size_t(first + row), out + row * rowSize(op.getResult()));
}

void RecipeReader::convert(recipe::ConvertOp op, int64_t first, int64_t count, float *out) const {
  rows(op.getInput(), first, count, out);
  Type to = typeOf(op.getResult()).getElementType();
  if (to.isF32())
    return;
  bool half = to.isF16();
  for (int64_t i = 0; i != count * rowSize(op.getResult()); ++i)
    out[i] = half ? halfToFloat(floatToHalf(out[i])) : bfloat16ToFloat(floatToBfloat16(out[i]));
}

void RecipeReader::concat(recipe::ConcatOp op, int64_t first, int64_t count, float *out) const {
  int64_t begin = 0, size = rowSize(op.getResult());
  for (Value input : op.getInputs()) {
    int64_t end = begin + rowsOf(input);
    int64_t from = std::max(first, begin), to = std::min(first + count, end);
    if (from < to)
      rows(input, from - begin, to - from, out + (from - first) * size);
    begin = end;
  }
}

void RecipeReader::interleave(recipe::InterleaveOp op, int64_t first, int64_t count, float *out) const {
  int64_t tile = op.getTile(), inputs = int64_t(op.getInputs().size()), size = rowSize(op.getResult());
  for (int64_t row = first; row != first + count;) {
    int64_t index = row / tile, inTile = row % tile;
    int64_t length = std::min(tile - inTile, first + count - row);
    Value input = op.getInputs()[size_t(index % inputs)];
    int64_t source = index / inputs * tile + inTile;
    int64_t valid = std::clamp<int64_t>(rowsOf(input) - source, 0, length);
    float *place = out + (row - first) * size;
    if (valid > 0)
      rows(input, source, valid, place);
    std::fill(place + valid * size, place + length * size, 0.0f);
    row += length;
  }
}

/// The stored tensor that `value` is, but for an exact widening; null when more than that stands between.
static recipe::RangeOp storedBehind(Value value) {
  if (auto convert = value.getDefiningOp<recipe::ConvertOp>(); convert && typeOf(value).getElementType().isF32())
    value = convert.getInput();
  return value.getDefiningOp<recipe::RangeOp>();
}

/// Columns [first, first + count) of a stored matrix, each to a row of `out`: no other byte of it is read.
void RecipeReader::columns(recipe::RangeOp op, int64_t first, int64_t count, float *out) const {
  RankedTensorType type = typeOf(op.getResult());
  int64_t height = type.getDimSize(0), size = type.getDimSize(1), width = type.getElementTypeBitWidth() / 8;
  const uint8_t *data = files.file(op.getFile()).data() + op.getOffset();
  std::vector<float> run(static_cast<size_t>(count));
  for (int64_t row = 0; row != height; ++row) {
    widen(type.getElementType(), data + (row * size + first) * width, size_t(count), run.data());
    for (int64_t column = 0; column != count; ++column)
      out[column * height + row] = run[size_t(column)];
  }
}

/// Columns of the input; of a computed one read by blocks of its rows: little memory, however large the matrix is.
void RecipeReader::transpose(recipe::TransposeOp op, int64_t first, int64_t count, float *out) const {
  if (recipe::RangeOp stored = storedBehind(op.getInput()))
    return columns(stored, first, count, out);
  int64_t inputRows = rowsOf(op.getInput()), inputSize = rowSize(op.getInput());
  int64_t block = std::clamp<int64_t>(65536 / std::max<int64_t>(1, inputSize), 1, inputRows);
  std::vector<float> some(size_t(block * inputSize));
  for (int64_t begin = 0; begin < inputRows; begin += block) {
    int64_t length = std::min(block, inputRows - begin);
    rows(op.getInput(), begin, length, some.data());
    for (int64_t row = 0; row != length; ++row)
      for (int64_t column = 0; column != count; ++column)
        out[column * inputRows + begin + row] = some[size_t(row * inputSize + first + column)];
  }
}

/// Rows of at most two dimensions: longer ones are padded in the first and the last only.
void RecipeReader::pad(recipe::PadOp op, int64_t first, int64_t count, float *out) const {
  int64_t from = rowSize(op.getInput()), to = rowSize(op.getResult());
  int64_t valid = std::clamp<int64_t>(rowsOf(op.getInput()) - first, 0, count);
  std::vector<float> narrow(size_t(valid * from));
  if (valid > 0)
    rows(op.getInput(), first, valid, narrow.data());
  std::fill(out, out + count * to, 0.0f);
  for (int64_t row = 0; row != valid; ++row)
    std::copy_n(narrow.data() + row * from, from, out + row * to);
}

/// Runs of rows that lie together in the input are read together.
void RecipeReader::take(recipe::TakeOp op, int64_t first, int64_t count, float *out) const {
  int64_t begin = op.getBegin(), size = op.getEnd() - begin, period = op.getPeriod(), width = rowSize(op.getResult());
  for (int64_t row = first; row != first + count;) {
    int64_t inRun = row % size, length = std::min(size - inRun, first + count - row);
    rows(op.getInput(), row / size * period + begin + inRun, length, out + (row - first) * width);
    row += length;
  }
}

void RecipeReader::swapRows(recipe::SwapRowsOp op, int64_t first, int64_t count, float *out) const {
  int64_t blocks = op.getBlocks(), size = op.getSize(), run = blocks * size, width = rowSize(op.getResult());
  for (int64_t row = first; row != first + count; ++row) {
    int64_t inRun = row % run, source = row - inRun + inRun % blocks * size + inRun / blocks;
    rows(op.getInput(), source, 1, out + (row - first) * width);
  }
}

/// The input's rows that hold the elements asked for, of which those outside are dropped.
void RecipeReader::reshape(recipe::ReshapeOp op, int64_t first, int64_t count, float *out) const {
  int64_t width = rowSize(op.getInput()), begin = first * rowSize(op.getResult()),
          size = count * rowSize(op.getResult());
  int64_t firstRow = begin / width, lastRow = (begin + size + width - 1) / width;
  std::vector<float> some(size_t((lastRow - firstRow) * width));
  rows(op.getInput(), firstRow, lastRow - firstRow, some.data());
  std::copy_n(some.data() + (begin - firstRow * width), size, out);
}

void RecipeReader::repeat(recipe::RepeatOp op, int64_t first, int64_t count, float *out) const {
  int64_t period = rowsOf(op.getInput()), width = rowSize(op.getResult());
  for (int64_t row = first; row != first + count;) {
    int64_t length = std::min(period - row % period, first + count - row);
    rows(op.getInput(), row % period, length, out + (row - first) * width);
    row += length;
  }
}

void RecipeReader::scale(recipe::ScaleOp op, int64_t first, int64_t count, float *out) const {
  rows(op.getInput(), first, count, out);
  float constant = op.getConstant().convertToFloat();
  for (int64_t i = 0, size = count * rowSize(op.getResult()); i != size; ++i)
    out[i] *= constant;
}

void RecipeReader::addConstant(recipe::AddConstantOp op, int64_t first, int64_t count, float *out) const {
  rows(op.getInput(), first, count, out);
  float constant = op.getConstant().convertToFloat();
  for (int64_t i = 0, size = count * rowSize(op.getResult()); i != size; ++i)
    out[i] += constant;
}

void RecipeReader::add(recipe::AddOp op, int64_t first, int64_t count, float *out) const {
  int64_t width = rowSize(op.getResult());
  bool oneRow = rowsOf(op.getRhs()) == 1;
  std::vector<float> other(size_t((oneRow ? 1 : count) * width));
  rows(op.getLhs(), first, count, out);
  rows(op.getRhs(), oneRow ? 0 : first, oneRow ? 1 : count, other.data());
  for (int64_t i = 0; i != count * width; ++i)
    out[i] += other[size_t(oneRow ? i % width : i)];
}

std::vector<float> RecipeReader::whole(Value value) const {
  std::vector<float> all(size_t(typeOf(value).getNumElements()));
  rows(value, 0, rowsOf(value), all.data());
  return all;
}

void RecipeReader::matmul(recipe::MatmulOp op, int64_t first, int64_t count, float *out) const {
  size_t inner = size_t(rowSize(op.getLhs())), width = size_t(rowSize(op.getResult()));
  std::vector<float> lhs(size_t(count) * inner), rhs = whole(op.getRhs());
  rows(op.getLhs(), first, count, lhs.data());
  std::vector<double> sums(width);
  for (size_t row = 0; row != size_t(count); ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (size_t k = 0; k != inner; ++k)
      for (size_t column = 0; column != width; ++column)
        sums[column] += double(lhs[row * inner + k]) * double(rhs[k * width + column]);
    std::copy(sums.begin(), sums.end(), out + row * width);
  }
}

void RecipeReader::ropeTable(recipe::RopeTableOp op, int64_t first, int64_t count, float *out) const {
  auto number = [](std::optional<APFloat> value) { return value ? value->convertToDouble() : 0.0; };
  RopeParameters parameters;
  parameters.scaling = RopeParameters::Scaling(op.getScaling());
  parameters.theta = op.getTheta().convertToDouble();
  parameters.factor = number(op.getFactor());
  parameters.lowFrequencyFactor = number(op.getLowFreqFactor());
  parameters.highFrequencyFactor = number(op.getHighFreqFactor());
  parameters.betaFast = number(op.getBetaFast());
  parameters.betaSlow = number(op.getBetaSlow());
  parameters.truncate = op.getTruncate();
  parameters.attentionFactor = op.getAttentionFactor() ? number(op.getAttentionFactor()) : 1.0;
  if (op.getDivisors())
    parameters.divisors = whole(op.getDivisors());
  parameters.originalPositions = double(op.getOriginalPositions().value_or(0));
  parameters.half = size_t(typeOf(op.getResult()).getDimSize(2));
  std::vector<float> frequencies = ropeFrequencies(parameters);
  for (int64_t row = 0; row != count; ++row)
    ropeRow(frequencies, float(parameters.attentionFactor), size_t(first + row),
            out + row * int64_t(2 * parameters.half));
}

std::string recipeText(model::WeightOp weight) {
  std::string text;
  for (Operation &op : weight.getRecipe().front()) {
    StringRef name = op.getName().stripDialect();
    if (isa<recipe::RangeOp, recipe::YieldOp>(op) || text.find(name.str()) != std::string::npos)
      continue;
    text += (text.empty() ? "" : ", ") + name.str();
  }
  return text.empty() ? "as it is" : text;
}

} // namespace headrace
