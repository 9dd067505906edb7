#include "compiler/bundle/RecipeCodes.h"

#include <algorithm>

using namespace mlir;

namespace headrace {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
int64_t rowsOf(Value value) { return typeOf(value).getDimSize(0); }
bool sameRows(Value a, Value b) { return typeOf(a).getShape().drop_front() == typeOf(b).getShape().drop_front(); }

/// A row of a value; a null value is a row of zeros.
struct Row {
  Value value;
  int64_t index;
};

Row inConcat(recipe::ConcatOp op, int64_t index) {
  for (Value input : op.getInputs()) {
    if (index < rowsOf(input))
      return {input, index};
    index -= rowsOf(input);
  }
  return {};
}

Row inInterleave(recipe::InterleaveOp op, int64_t index) {
  int64_t tile = op.getTile(), inputs = int64_t(op.getInputs().size());
  Value input = op.getInputs()[size_t(index / tile % inputs)];
  int64_t source = index / tile / inputs * tile + index % tile;
  return source < rowsOf(input) ? Row{input, source} : Row{};
}

/// Where the row comes from, one step up. Only for steps that movesRows allows.
Row step(Row row) {
  Operation *op = row.value.getDefiningOp();
  if (auto concat = dyn_cast<recipe::ConcatOp>(op))
    return inConcat(concat, row.index);
  if (auto interleave = dyn_cast<recipe::InterleaveOp>(op))
    return inInterleave(interleave, row.index);
  if (auto take = dyn_cast<recipe::TakeOp>(op)) {
    int64_t size = int64_t(take.getEnd() - take.getBegin());
    return {take.getInput(),
            row.index / size * int64_t(take.getPeriod()) + int64_t(take.getBegin()) + row.index % size};
  }
  if (auto swap = dyn_cast<recipe::SwapRowsOp>(op)) {
    int64_t blocks = swap.getBlocks(), size = swap.getSize(), inRun = row.index % (blocks * size);
    return {swap.getInput(), row.index - inRun + inRun % blocks * size + inRun / blocks};
  }
  Value input = op->getOperand(0); // convert, pad
  return row.index < rowsOf(input) ? Row{input, row.index} : Row{};
}

/// Steps after which each row is a row of an input, or zeros.
bool movesRows(Operation *op) {
  if (isa<recipe::ConcatOp, recipe::InterleaveOp, recipe::SwapRowsOp, recipe::TakeOp>(op))
    return true;
  if (auto convert = dyn_cast<recipe::ConvertOp>(op))
    return convert.getInput().getType() == convert.getResult().getType();
  if (auto pad = dyn_cast<recipe::PadOp>(op))
    return sameRows(pad.getInput(), pad.getResult());
  return false;
}

bool holds(Value value, const T32Shape &shape, const CheckpointFiles &files) {
  Operation *op = value.getDefiningOp();
  if (auto blocks = dyn_cast<recipe::FromBlocksOp>(op))
    return shape.group == 32 && canHold(*findBlockType(blocks.getType()), shape.storage);
  if (auto grouped = dyn_cast<recipe::FromGroupsOp>(op))
    return groupedMatrix(grouped, files).isGroupedBy(shape.group);
  return movesRows(op) && llvm::all_of(op->getOperands(), [&](Value input) { return holds(input, shape, files); });
}

/// A row of blocks of 32 as row `row` of `out`; false when a number does not fit.
bool readBlocks(recipe::FromBlocksOp op, const CheckpointFiles &files, const T32Shape &shape, int64_t index, size_t row,
                CodedRows &out) {
  BlockRows blocks(op, files);
  const size_t perBlock = blocks.type.elements / 32;
  bool exact = true; // a rounded scale is told by who chose the encoding
  for (size_t group = 0; group != blocks.perRow * perBlock; ++group) {
    const uint8_t *block = blocks.row(index) + group / perBlock * blocks.type.bytes;
    GroupNumbers numbers;
    if (!recodeGroup(blocks.type, block, group % perBlock, shape.storage, &out.codes[row * shape.k + group * 32],
                     numbers, exact))
      return false;
    out.scales[row * shape.groups() + group] = numbers.scale;
    if (!out.offsets.empty())
      out.offsets[row * shape.groups() + group] = numbers.offset;
  }
  return true;
}

bool readRow(Row from, const CheckpointFiles &files, const T32Shape &shape, size_t row, CodedRows &out) {
  while (from.value && !isa<recipe::FromBlocksOp, recipe::FromGroupsOp>(from.value.getDefiningOp()))
    from = step(from);
  if (!from.value)
    return true; // zeros
  if (auto blocks = from.value.getDefiningOp<recipe::FromBlocksOp>())
    return readBlocks(blocks, files, shape, from.index, row, out);
  bool exact = true; // as in readBlocks
  return groupedMatrix(from.value.getDefiningOp<recipe::FromGroupsOp>(), files)
      .recode(shape, size_t(from.index), row, out, exact);
}

const uint8_t *bytesOf(Value value, const CheckpointFiles &files) {
  if (!value)
    return nullptr;
  auto range = value.getDefiningOp<recipe::RangeOp>(); // the only op that makes integers
  return files.file(range.getFile()).data() + range.getOffset();
}

} // namespace

BlockRows::BlockRows(recipe::FromBlocksOp op, const CheckpointFiles &files)
    : type(*findBlockType(op.getType())),
      perRow(size_t(typeOf(op.getInput()).getNumElements() / std::max<int64_t>(1, rowsOf(op.getInput()))) / type.bytes),
      data(bytesOf(op.getInput(), files)) {}

GroupedMatrix groupedMatrix(recipe::FromGroupsOp op, const CheckpointFiles &files) {
  Type scale = typeOf(op.getScales()).getElementType();
  GroupedMatrix made = {};
  made.layout = *findGroupLayout(op.getLayout());
  made.bits = unsigned(op.getBits());
  made.n = size_t(rowsOf(op.getResult()));
  made.k = size_t(typeOf(op.getResult()).getDimSize(1));
  made.group = size_t(op.getGroup());
  made.zeroShift = int(op.getZeroShift());
  made.scaleType = scale.isF32() ? ScaleType::F32 : scale.isF16() ? ScaleType::F16 : ScaleType::BF16;
  made.codes = bytesOf(op.getCodes(), files);
  made.scales = bytesOf(op.getScales(), files);
  made.zeros = bytesOf(op.getZeros(), files);
  made.order = bytesOf(op.getOrder(), files);
  return made;
}

std::optional<TensorRow> originOf(model::WeightOp weight, int64_t index) {
  Row row{weight.getYielded(), index};
  while (row.value) {
    Operation *op = row.value.getDefiningOp();
    if (auto range = dyn_cast<recipe::RangeOp>(op))
      return TensorRow{range, row.index};
    if (isa<recipe::ConvertOp, recipe::FromBlocksOp, recipe::ScaleOp, recipe::AddConstantOp>(op))
      row.value = op->getOperand(0);
    else if (movesRows(op))
      row = step(row);
    else
      break;
  }
  return std::nullopt;
}

bool RecipeCodes::hold(const T32Shape &shape) const {
  return shape.isCoded() && typeOf(value).getRank() == 2 && holds(value, shape, files);
}

int64_t RecipeCodes::read(const T32Shape &shape, int64_t first, int64_t count, CodedRows &out) const {
  for (int64_t row = 0; row != count; ++row)
    if (!readRow({value, first + row}, files, shape, size_t(row), out))
      return first + row;
  return first + count;
}

} // namespace headrace
