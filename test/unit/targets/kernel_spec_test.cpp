#include "compiler/driver/Targets.h"
#include "dialects/target/Target.h"
#include "dialects/tile/KernelFamilies.h"
#include "mlir/AsmParser/AsmParser.h"
#include "targets/common/KernelFunction.h"
#include "targets/common/Passes.h"
#include <catch2/catch.hpp>

using namespace headrace;

namespace {

/// A family with parameters in MLIR syntax, read both ways.
struct Parsed {
  explicit Parsed(mlir::MLIRContext &context, llvm::StringRef name, llvm::StringRef text)
      : params(mlir::cast<mlir::DictionaryAttr>(mlir::parseAttribute(text, &context))),
        family(tile::lookupFamily(name)) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { error = diagnostic.str(); });
    auto emit = [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); };
    mlir::FailureOr<KernelSpec> result = KernelSpec::parse("k", name, params, 2, emit);
    if (mlir::succeeded(result))
      spec = *result;
    ok = mlir::succeeded(result);
  }
  mlir::DictionaryAttr params;
  const tile::Family *family;
  KernelSpec spec;
  bool ok;
  std::string error;
};

const char *const matmul =
    "{enc = \"w4\", group = 64 : i64, n = 100 : i64, k = 172 : i64, bias = true, act = \"silu\", gated = "
    "true, residual = true}";

} // namespace

TEST_CASE("a specification agrees with the table of families", "[kernel-spec]") {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  const std::pair<const char *, std::string> rows[] = {
      {"embed", "{enc = \"w8\", group = 32 : i64, n = 2048 : i64, k = 172 : i64}"},
      {"norm", "{cols = 172 : i64, eps = 1.0e-5 : f32, residual = true, out = \"a8\", group = 64 : i64}"},
      {"norm", "{cols = 172 : i64, eps = 1.0e-5 : f32, residual = false, out = \"f32\", group = 0 : i64}"},
      {"quantize", "{cols = 172 : i64, group = 128 : i64}"},
      {"gemv", matmul},
      {"gemm",
       "{enc = \"f16\", group = 0 : i64, n = 33 : i64, k = 5 : i64, bias = false, act = \"none\", gated = false, "
       "residual = false}"},
      {"gemv",
       "{enc = \"w4a\", group = 64 : i64, n = 70 : i64, k = 172 : i64, bias = false, act = \"none\", gated = false, "
       "residual = false}"},
      {"gemv",
       "{enc = \"w4z\", group = 128 : i64, n = 70 : i64, k = 172 : i64, bias = false, act = \"none\", gated = false, "
       "residual = false}"},
      {"gemm",
       "{enc = \"w8\", group = 32 : i64, x = \"f32\", n = 33 : i64, k = 40 : i64, bias = false, act = \"none\", "
       "gated = false, residual = false}"},
      {"rope_append",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64, context = 1024 : i64, "
       "k_type = \"f16\", v_type = \"f32\"}"},
      {"attend",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = \"f16\", v_type = "
       "\"f16\", scale = 0.25 : f32}"},
      {"add", "{cols = 172 : i64}"},
      {"route", "{experts = 8 : i64, top = 2 : i64, normalise = true}"},
      {"gemm", "{enc = \"f32\", group = 0 : i64, n = 33 : i64, k = 5 : i64, act = \"none\", gated = false, residual = "
               "false, bias = false, experts = 8 : i64, top = 2 : i64, weighted = true}"},
      {"embed", "{enc = \"f32\", group = 0 : i64, n = 70 : i64, k = 37 : i64, positions = true, scale = 2.0 : f32}"},
      {"norm",
       "{cols = 172 : i64, eps = 1.0e-5 : f32, residual = true, out = \"f32\", group = 0 : i64, kind = \"layer\", "
       "bias = true}"},
      {"gemm",
       "{enc = \"f16\", group = 0 : i64, n = 33 : i64, k = 5 : i64, bias = false, act = \"none\", gated = false, "
       "residual = false, softcap = 30.0 : f32}"},
      {"rope_append",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64, context = 1024 : i64, k_type = "
       "\"f16\", v_type = \"f32\", qk_norm = \"layer\", q_span = 192 : i64, k_span = 32 : i64, eps = 1.0e-6 : f32, "
       "qk_bias = true}"},
      {"rope_append",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 8 : i64, context = 1024 : i64, k_type = "
       "\"f16\", v_type = \"f32\", qk_norm = \"rms\", q_span = 32 : i64, k_span = 32 : i64}"},
      {"attend",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = \"f16\", v_type = "
       "\"f16\", scale = 0.25 : f32, window = 512 : i64, softcap = 50.0 : f32}"},
      {"attend",
       "{heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = \"f16\", v_type = "
       "\"f16\", scale = 0.25 : f32, causal = false}"}};
  for (const auto &[family, text] : rows) {
    INFO(family << text);
    Parsed p(context, family, text);
    REQUIRE(p.ok);
    auto operands = tile::operandsOf(*p.family, p.params);
    CHECK(p.spec.operandCount() == operands.size() + p.family->hasSite);
    CHECK(p.spec.hasSite() == p.family->hasSite);
    CHECK(p.spec.device == 2);
    for (const tile::OperandInfo &operand : operands) {
      if (operand.name == "w")
        CHECK(operand.fixedBytes == p.spec.tileBytes() * KernelSpec::pad32(p.spec.n) / 32 * (p.spec.gated ? 2 : 1) *
                                        std::max<int64_t>(1, p.spec.experts));
      if (operand.name == "x" && p.spec.isMatmul())
        CHECK(operand.rowBytes ==
              (p.spec.isInteger() ? p.spec.codeRowBytes(p.spec.k) : KernelSpec::floatRowBytes(p.spec.k)));
    }
    CHECK(kernelFunctionType(&context, p.spec).getNumInputs() == p.spec.operandCount() + (p.spec.hasSite() ? 5 : 4));
  }
}

TEST_CASE("parameters that make no sense are refused one by one", "[kernel-spec]") {
  mlir::MLIRContext context;
  auto attend = [](const std::string &more) {
    return "{heads = 4 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = \"f16\", v_type = "
           "\"f16\", scale = 1.0 : f32, " +
           more + "}";
  };
  auto rope = [](const std::string &more) {
    return "{heads = 4 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64, context = 64 : i64, k_type = "
           "\"f16\", v_type = \"f16\", " +
           more + "}";
  };
  const std::tuple<const char *, std::string, const char *> rows[] = {
      {"mix", "{}",
       "kernel k: expected a family of embed norm quantize gemv gemm rope_append attend add route, found \"mix\""},
      {"add", "{}", "expected parameter 'cols' of family add"},
      {"add", "{cols = \"x\"}", "parameter 'cols': expected an i64, found \"x\""},
      {"add", "{cols = 0 : i64}", "parameter 'cols': expected at least 1, found 0"},
      {"add", "{cols = 4 : i64, rows = 4 : i64}", "family add has no parameter 'rows'"},
      {"quantize", "{cols = 4 : i64, group = 48 : i64}", "parameter 'group': expected 32, 64 or 128, found 48"},
      {"embed", "{enc = \"w3\", n = 4 : i64, k = 4 : i64}",
       "parameter 'enc': expected one of f32|f16|w8|w4|w4a|w4z, found \"w3\""},
      {"gemv",
       "{enc = \"f16\", group = 0 : i64, x = \"f32\", n = 33 : i64, k = 5 : i64, bias = false, act = \"none\", gated = "
       "false, residual = false}",
       "parameter 'x': expected to be absent for a float encoding, found f32"},
      {"gemv",
       "{enc = \"w4\", group = 32 : i64, x = \"a8\", n = 33 : i64, k = 5 : i64, bias = false, act = \"none\", gated = "
       "false, residual = false}",
       "parameter 'x': expected to be absent when it is a8"},
      {"attend",
       "{heads = 5 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = \"f16\", v_type = "
       "\"f16\", scale = 1.0 : f32}",
       "parameter 'kv_heads': expected a divisor of heads = 5, found 2"},
      {"attend",
       "{heads = 4 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 65 : i64, k_type = \"f16\", v_type = "
       "\"f16\", scale = 1.0 : f32}",
       "parameter 'context': expected a multiple of 32, found 65"},
      {"rope_append",
       "{heads = 4 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 33 : i64, context = 64 : i64, k_type = "
       "\"f16\", v_type = \"f16\"}",
       "parameter 'rotary': expected an even number up to head_dim = 32, found 33"},
      {"embed", "{enc = \"f32\", group = 0 : i64, n = 4 : i64, k = 4 : i64, scale = 1.0 : f32}",
       "parameter 'scale': expected to be absent when it is 1"},
      {"embed", "{enc = \"f32\", group = 0 : i64, n = 4 : i64, k = 4 : i64, positions = false}",
       "parameter 'positions': expected to be absent when it is false"},
      {"embed", "{enc = \"f32\", group = 0 : i64, n = 4 : i64, k = 4 : i64, scale = 0x7F800000 : f32}",
       "parameter 'scale': expected a finite number, found 0x7F800000 : f32"},
      {"norm", "{cols = 4 : i64, eps = 1.0e-5 : f32, residual = false, out = \"f32\", group = 0 : i64, kind = \"rms\"}",
       "parameter 'kind': expected to be absent when it is rms"},
      {"norm", "{cols = 4 : i64, eps = 1.0e-5 : f32, residual = false, out = \"f32\", group = 0 : i64, bias = true}",
       "parameter 'bias': expected false unless kind is layer, found true"},
      {"route", "{experts = 8 : i64, top = 9 : i64, normalise = true}",
       "parameter 'top': expected 1 to experts = 8, found 9"},
      {"gemv",
       "{enc = \"f32\", group = 0 : i64, n = 33 : i64, k = 5 : i64, act = \"none\", gated = false, residual = false, "
       "bias = false, experts = 8 : i64}",
       "parameter 'top': expected 1 to experts = 8, found 0"},
      {"gemv",
       "{enc = \"f32\", group = 0 : i64, n = 33 : i64, k = 5 : i64, act = \"none\", gated = false, residual = false, "
       "bias = false, top = 2 : i64}",
       "parameter 'top': expected 0 with experts = 0, found 2"},
      {"gemv",
       "{enc = \"f32\", group = 0 : i64, n = 33 : i64, k = 5 : i64, act = \"none\", gated = false, residual = false, "
       "bias = false, weighted = true}",
       "parameter 'weighted': expected false without experts, found true"},
      {"gemv",
       "{enc = \"f32\", group = 0 : i64, n = 33 : i64, k = 5 : i64, act = \"none\", gated = false, residual = false, "
       "bias = true, experts = 8 : i64, top = 2 : i64}",
       "parameter 'bias': expected false with experts, found true"},
      {"attend", attend("softcap = -1.0 : f32"), "parameter 'softcap': expected at least 0, found -1.000000e+00 : f32"},
      {"attend", attend("window = 0 : i64"), "parameter 'window': expected to be absent when it is 0"},
      {"attend", attend("causal = true"), "parameter 'causal': expected to be absent when it is true"},
      {"attend", attend("window = 8 : i64, causal = false"), "parameter 'window': expected 0 unless causal, found 8"},
      {"rope_append", rope("qk_norm = \"rms\", q_span = 24 : i64, k_span = 32 : i64"),
       "parameter 'q_span': expected a divisor of 128, found 24"},
      {"rope_append", rope("qk_norm = \"rms\", q_span = 32 : i64"),
       "parameter 'k_span': expected a divisor of 64, found 0"},
      {"rope_append", rope("k_span = 32 : i64"), "parameter 'k_span': expected 0 without qk_norm, found 32"},
      {"rope_append", rope("qk_norm = \"rms\", q_span = 32 : i64, k_span = 32 : i64, qk_bias = true"),
       "parameter 'qk_bias': expected false unless qk_norm is layer, found true"}};
  for (const auto &[family, text, message] : rows) {
    Parsed p(context, family, text);
    CHECK_FALSE(p.ok);
    CHECK(p.error == message);
  }
}

TEST_CASE("devices are described to the passes", "[describe]") {
  mlir::DialectRegistry registry;
  registerTargetDialects(registry);
  registry.insert<target::TargetDialect>();
  mlir::MLIRContext context(registry);
  context.loadDialect<target::TargetDialect>();
  for (const Device &device : allDevices()) {
    INFO(device.name);
    const TargetBackend *backend = allTargets().find(device.backend);
    REQUIRE(backend);
    auto described = mlir::dyn_cast_or_null<target::Device>(backend->describe(&context, device));
    REQUIRE(described);
    CHECK(described.getDeviceName() == device.name);
    CHECK(uint64_t(described.getMemoryBytes()) == device.usableBytes());
    CHECK(described.getBodyChunks().front() == 1);
  }
}
