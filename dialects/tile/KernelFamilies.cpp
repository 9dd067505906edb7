// The table of kernel families. Normative text: runtime/abi/README.md.
#include "dialects/tile/KernelFamilies.h"

#include "dialects/enc/Enc.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace headrace::tile {
namespace {
constexpr llvm::StringLiteral kEncodings = "f32|f16|w8|w4";
constexpr llvm::StringLiteral kActs = "none|silu|relu|tanh|gelu|gelu_tanh";
constexpr llvm::StringLiteral kKvTypes = "f32|f16";

const ParamInfo kEmbed[] = {
    {"enc", ParamKind::String, kEncodings}, {"group", ParamKind::Int}, {"n", ParamKind::Int}, {"k", ParamKind::Int}};
const ParamInfo kNorm[] = {{"cols", ParamKind::Int},
                           {"eps", ParamKind::Float},
                           {"residual", ParamKind::Bool},
                           {"out", ParamKind::String, "f32|a8"},
                           {"group", ParamKind::Int}};
const ParamInfo kQuantize[] = {{"cols", ParamKind::Int}, {"group", ParamKind::Int}};
const ParamInfo kMatmul[] = {{"enc", ParamKind::String, kEncodings},
                             {"group", ParamKind::Int},
                             {"n", ParamKind::Int},
                             {"k", ParamKind::Int},
                             {"bias", ParamKind::Bool},
                             {"act", ParamKind::String, kActs},
                             {"gated", ParamKind::Bool},
                             {"residual", ParamKind::Bool}};
const ParamInfo kRope[] = {{"heads", ParamKind::Int},
                           {"kv_heads", ParamKind::Int},
                           {"head_dim", ParamKind::Int},
                           {"rotary", ParamKind::Int},
                           {"context", ParamKind::Int},
                           {"k_type", ParamKind::String, kKvTypes},
                           {"v_type", ParamKind::String, kKvTypes}};
const ParamInfo kAttend[] = {{"heads", ParamKind::Int},
                             {"kv_heads", ParamKind::Int},
                             {"head_dim", ParamKind::Int},
                             {"context", ParamKind::Int},
                             {"k_type", ParamKind::String, kKvTypes},
                             {"v_type", ParamKind::String, kKvTypes},
                             {"scale", ParamKind::Float}};
const ParamInfo kAdd[] = {{"cols", ParamKind::Int}};

//                         name           params     site   per row
const Family kFamilies[] = {{"embed", kEmbed, false, true},      {"norm", kNorm, true, true},
                            {"quantize", kQuantize, true, true}, {"gemv", kMatmul, false, false},
                            {"gemm", kMatmul, false, false},     {"rope_append", kRope, false, true},
                            {"attend", kAttend, false, true},    {"add", kAdd, false, true}};

bool isQuantized(llvm::StringRef enc) { return enc == "w8" || enc == "w4"; }

/// Kernel generators read parameters without asking, so a wrong type must not get past here.
LogicalResult verifyKind(const ParamInfo &info, Attribute value, function_ref<InFlightDiagnostic()> emitError) {
  switch (info.kind) {
  case ParamKind::Int:
    if (auto i = dyn_cast<IntegerAttr>(value); i && i.getType().isInteger(64))
      return i.getInt() >= 0
                 ? success()
                 : (emitError() << "parameter '" << info.key << "': expected at least 0, found " << i.getInt());
    return emitError() << "parameter '" << info.key << "': expected an i64, found " << value;
  case ParamKind::Float:
    if (auto f = dyn_cast<FloatAttr>(value); f && f.getType().isF32())
      return success();
    return emitError() << "parameter '" << info.key << "': expected an f32, found " << value;
  case ParamKind::Bool:
    if (isa<BoolAttr>(value))
      return success();
    return emitError() << "parameter '" << info.key << "': expected true or false, found " << value;
  case ParamKind::String: {
    auto s = dyn_cast<StringAttr>(value);
    SmallVector<StringRef> allowed;
    info.allowed.split(allowed, '|');
    if (s && llvm::is_contained(allowed, s.getValue()))
      return success();
    return emitError() << "parameter '" << info.key << "': expected one of " << info.allowed << ", found " << value;
  }
  }
  return failure();
}

/// Relations between parameters: a group exactly where something is quantized, heads that divide.
LogicalResult verifyRelations(const Family &family, DictionaryAttr params,
                              function_ref<InFlightDiagnostic()> emitError) {
  for (StringRef key : {"n", "k", "cols", "heads", "kv_heads", "head_dim", "context"})
    if (params.contains(key) && intParam(params, key) < 1)
      return emitError() << "parameter '" << key << "': expected at least 1, found " << intParam(params, key);
  if (params.contains("group")) {
    bool quantized = family.name == "quantize" || (family.name == "norm" && stringParam(params, "out") == "a8") ||
                     (params.contains("enc") && isQuantized(stringParam(params, "enc")));
    int64_t group = intParam(params, "group");
    if (quantized ? !enc::isAllowedGroup(group) : group != 0)
      return emitError() << "parameter 'group': expected " << (quantized ? "32, 64 or 128" : "0 for a float encoding")
                         << ", found " << group;
  }
  if (params.contains("context") && intParam(params, "context") % 32 != 0)
    return emitError() << "parameter 'context': expected a multiple of 32, found " << intParam(params, "context");
  if (params.contains("heads") && intParam(params, "heads") % intParam(params, "kv_heads") != 0)
    return emitError() << "parameter 'kv_heads': expected a divisor of heads = " << intParam(params, "heads")
                       << ", found " << intParam(params, "kv_heads");
  if (params.contains("rotary") &&
      (intParam(params, "rotary") % 2 != 0 || intParam(params, "rotary") > intParam(params, "head_dim")))
    return emitError() << "parameter 'rotary': expected an even number up to head_dim = "
                       << intParam(params, "head_dim") << ", found " << intParam(params, "rotary");
  return success();
}

/// Columns of a qkv row: q heads, k heads, v heads, without padding between them.
int64_t qkvCols(DictionaryAttr p) {
  return (intParam(p, "heads") + 2 * intParam(p, "kv_heads")) * intParam(p, "head_dim");
}

/// "w4g64", "f32": the encoding in a kernel's name.
std::string encodingPart(DictionaryAttr p) {
  StringRef enc = stringParam(p, "enc");
  return isQuantized(enc) ? (enc + "g" + Twine(intParam(p, "group"))).str() : enc.str();
}

SmallVector<OperandInfo> matmulOperands(const Family &family, DictionaryAttr p) {
  int64_t n = intParam(p, "n"), k = intParam(p, "k"), group = intParam(p, "group");
  StringRef enc = stringParam(p, "enc");
  int64_t rows = (boolParam(p, "gated") ? 2 : 1) * pad32(n);
  int64_t xRow = isQuantized(enc) ? a8RowBytes(k, group) : f32RowBytes(k);
  SmallVector<OperandInfo> ops{{"w", Access::Read, 0, t32Bytes(enc, group, rows, k), false}};
  if (boolParam(p, "bias"))
    ops.push_back({"bias", Access::Read, 0, rows * 4, false});
  ops.push_back({"x", Access::Read, xRow, 0, false});
  if (boolParam(p, "residual"))
    ops.push_back({"residual", Access::Read, f32RowBytes(n), 0, false});
  ops.push_back({"out", Access::Write, f32RowBytes(n), 0, false});
  return ops;
}

SmallVector<OperandInfo> normOperands(DictionaryAttr p) {
  int64_t cols = intParam(p, "cols");
  bool residual = boolParam(p, "residual");
  int64_t outRow = stringParam(p, "out") == "a8" ? a8RowBytes(cols, intParam(p, "group")) : f32RowBytes(cols);
  SmallVector<OperandInfo> ops{{"x", Access::Read, f32RowBytes(cols), 0, true}};
  if (residual)
    ops.push_back({"residual", Access::Read, f32RowBytes(cols), 0, true});
  ops.push_back({"weight", Access::Read, 0, f32RowBytes(cols), false});
  if (residual)
    ops.push_back({"sum", Access::Write, f32RowBytes(cols), 0, true});
  ops.push_back({"out", Access::Write, outRow, 0, true});
  return ops;
}
} // namespace

ArrayRef<Family> allFamilies() { return kFamilies; }

const Family *lookupFamily(StringRef name) {
  const Family *it = llvm::find_if(kFamilies, [&](const Family &f) { return f.name == name; });
  return it == std::end(kFamilies) ? nullptr : it;
}

LogicalResult verifyParams(const Family &family, DictionaryAttr params, function_ref<InFlightDiagnostic()> emitError) {
  for (const ParamInfo &info : family.params) {
    Attribute value = params.get(info.key);
    if (!value)
      return emitError() << "expected parameter '" << info.key << "' of family " << family.name;
    if (failed(verifyKind(info, value, emitError)))
      return failure();
  }
  for (NamedAttribute attr : params)
    if (llvm::none_of(family.params, [&](const ParamInfo &i) { return i.key == attr.getName().getValue(); }))
      return emitError() << "family " << family.name << " has no parameter '" << attr.getName().getValue() << "'";
  return verifyRelations(family, params, emitError);
}

SmallVector<OperandInfo> operandsOf(const Family &family, DictionaryAttr p) {
  if (family.name == "embed")
    return {{"table", Access::Read, 0,
             t32Bytes(stringParam(p, "enc"), intParam(p, "group"), pad32(intParam(p, "n")), intParam(p, "k")), false},
            {"tokens", Access::Read, 4, 0, true},
            {"out", Access::Write, f32RowBytes(intParam(p, "k")), 0, true}};
  if (family.name == "norm")
    return normOperands(p);
  if (family.name == "quantize")
    return {{"x", Access::Read, f32RowBytes(intParam(p, "cols")), 0, true},
            {"out", Access::Write, a8RowBytes(intParam(p, "cols"), intParam(p, "group")), 0, true}};
  if (family.name == "gemv" || family.name == "gemm")
    return matmulOperands(family, p);
  if (family.name == "add") {
    int64_t row = f32RowBytes(intParam(p, "cols"));
    return {{"a", Access::Read, row, 0, true}, {"b", Access::Read, row, 0, true}, {"out", Access::Write, row, 0, true}};
  }
  int64_t kv = intParam(p, "kv_heads"), dim = intParam(p, "head_dim"), context = intParam(p, "context");
  int64_t kBytes = kvBytes(kv, dim, context, stringParam(p, "k_type"));
  int64_t vBytes = kvBytes(kv, dim, context, stringParam(p, "v_type"));
  if (family.name == "rope_append")
    return {{"qkv", Access::ReadWrite, f32RowBytes(qkvCols(p)), 0, true},
            {"table", Access::Read, 0, -1, false},
            {"kcache", Access::Write, 0, kBytes, false},
            {"vcache", Access::Write, 0, vBytes, false}};
  return {{"qkv", Access::Read, f32RowBytes(qkvCols(p)), 0, false},
          {"kcache", Access::Read, 0, kBytes, false},
          {"vcache", Access::Read, 0, vBytes, false},
          {"out", Access::Write, f32RowBytes(intParam(p, "heads") * dim), 0, false}};
}

int64_t tilesOf(const Family &family, DictionaryAttr params) {
  if (family.name == "gemv" || family.name == "gemm")
    return pad32(intParam(params, "n")) / 32;
  return family.name == "attend" ? intParam(params, "heads") : 1;
}

std::string kernelName(const Family &family, DictionaryAttr p) {
  std::string name = family.name.str();
  llvm::raw_string_ostream os(name);
  if (p.contains("enc"))
    os << "_" << encodingPart(p) << "_n" << intParam(p, "n") << "_k" << intParam(p, "k");
  if (p.contains("heads"))
    os << "_h" << intParam(p, "heads") << "_kv" << intParam(p, "kv_heads") << "_d" << intParam(p, "head_dim");
  if (p.contains("rotary"))
    os << "_r" << intParam(p, "rotary");
  if (p.contains("context"))
    os << "_c" << intParam(p, "context") << "_" << stringParam(p, "k_type") << "_" << stringParam(p, "v_type");
  if (p.contains("cols"))
    os << "_c" << intParam(p, "cols");
  if (p.contains("bias") && boolParam(p, "bias"))
    os << "_bias";
  if (p.contains("act") && stringParam(p, "act") != "none")
    os << "_" << stringParam(p, "act");
  if (p.contains("gated") && boolParam(p, "gated"))
    os << "_gated";
  if (p.contains("residual") && boolParam(p, "residual"))
    os << "_res";
  if (p.contains("out"))
    os << "_" << stringParam(p, "out");
  if (!p.contains("enc") && p.contains("group") && intParam(p, "group"))
    os << (p.contains("out") ? "g" : "_g") << intParam(p, "group");
  return name;
}

int64_t intParam(DictionaryAttr params, StringRef key) { return params.getAs<IntegerAttr>(key).getInt(); }
bool boolParam(DictionaryAttr params, StringRef key) { return params.getAs<BoolAttr>(key).getValue(); }
StringRef stringParam(DictionaryAttr params, StringRef key) { return params.getAs<StringAttr>(key).getValue(); }
float floatParam(DictionaryAttr params, StringRef key) {
  return params.getAs<FloatAttr>(key).getValue().convertToFloat();
}

int64_t t32ElementBytes(StringRef enc, int64_t k) {
  if (!isQuantized(enc))
    return k * 32 * (enc == "f32" ? 4 : 2);
  return pad32(k) * 32 / (enc == "w4" ? 2 : 1);
}

int64_t t32Bytes(StringRef enc, int64_t group, int64_t rows, int64_t k) {
  int64_t tiles = pad32(rows) / 32, elements = t32ElementBytes(enc, k);
  int64_t scales = isQuantized(enc) ? (k + group - 1) / group * 32 * 2 : 0;
  return tiles * (scales ? roundUp(elements + scales, 128) : elements);
}

int64_t kvBytes(int64_t kvHeads, int64_t headDim, int64_t context, StringRef type) {
  return kvHeads * pad32(context) * headDim * (type == "f32" ? 4 : 2);
}

} // namespace headrace::tile
