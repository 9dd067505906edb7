// From metadata and tensors of GGUF files to a ModelSpec, and what is refused on the way.
#include "compiler/import/gguf/GgufModel.h"
#include "Fixtures.h"
#include "GgufFixture.h"
#include "compiler/import/keep/KeepEncodings.h"

#include <catch2/catch.hpp>

using namespace headrace;
using namespace fixtures;

namespace {

const uint32_t kTensorF32 = 0, kTensorF16 = 1, kTensorQ4_0 = 2, kTensorQ8_0 = 8, kTensorQ8_K = 15;

/// One layer, hidden 32, two heads, one key-value head, ffn 64, vocabulary 3, tied, written to a file of its own. With
/// experts, their matrices are a test's to add.
struct TinyGguf {
  explicit TinyGguf(const std::string &architecture = "llama", uint32_t experts = 0) : architecture(architecture) {
    maker.text("general.architecture", architecture).text("general.type", "model");
    number("block_count", 1).number("context_length", 16).number("embedding_length", 32);
    number("feed_forward_length", 64).number("attention.head_count", 2).number("attention.head_count_kv", 1);
    for (const char *key : {"layer_norm_rms_epsilon", "layer_norm_epsilon"})
      maker.pair(architecture + ".attention." + key, kF32, raw(1e-5f));
    maker.pair("tokenizer.ggml.eos_token_id", kU32, raw(uint32_t(2)));
    add("token_embd.weight", {32, 3}).add("output_norm.weight", {32});
    add("blk.0.attn_norm.weight", {32}).add("blk.0.ffn_norm.weight", {32});
    add("blk.0.attn_q.weight", {32, 32}).add("blk.0.attn_k.weight", {32, 16}).add("blk.0.attn_v.weight", {32, 16});
    add("blk.0.attn_output.weight", {32, 32});
    if (experts != 0) {
      number("expert_count", experts).add("blk.0.ffn_gate_inp.weight", {32, experts});
      return;
    }
    add("blk.0.ffn_gate.weight", {32, 64}).add("blk.0.ffn_up.weight", {32, 64});
    add("blk.0.ffn_down.weight", {64, 32});
  }
  /// Matrices of `count` experts with `inner` columns inside.
  TinyGguf &addExperts(uint64_t count, uint64_t inner, uint32_t type = kTensorF32) {
    return add("blk.0.ffn_gate_exps.weight", {32, inner, count}, type)
        .add("blk.0.ffn_up_exps.weight", {32, inner, count}, type)
        .add("blk.0.ffn_down_exps.weight", {inner, 32, count}, type);
  }
  TinyGguf &number(const std::string &key, uint32_t value) {
    maker.pair(architecture + "." + key, kU32, raw(value));
    return *this;
  }
  TinyGguf &add(const std::string &name, const std::vector<uint64_t> &sizes, uint32_t type = kTensorF32) {
    uint64_t elements = 1;
    for (uint64_t size : sizes)
      elements *= size;
    uint64_t bytes = type == kTensorQ4_0   ? elements / 32 * 18
                     : type == kTensorQ8_0 ? elements / 32 * 34
                     : type == kTensorQ8_K ? elements / 256 * 292
                     : type == kTensorF16  ? elements * 2
                                           : elements * 4;
    maker.tensor(name, sizes, type, std::string(bytes, '\1'));
    return *this;
  }
  Result<GgufFile> open() {
    folder.write("m.gguf", maker.bytes());
    return openGguf(folder.path + "/m.gguf");
  }
  Result<ModelSpec> describe() {
    Result<GgufFile> file = open();
    REQUIRE(file);
    return describeGguf(*file);
  }
  std::string refusal() {
    Result<ModelSpec> spec = describe();
    return spec ? "accepted" : spec.error().message();
  }
  std::string architecture;
  GgufMaker maker;
  TemporaryFolder folder;
};

} // namespace

TEST_CASE("a GGUF file of the Llama architecture is described") {
  TinyGguf tiny;
  Result<ModelSpec> spec = tiny.describe();
  REQUIRE(spec);
  CHECK(spec->architecture == "llama");
  CHECK(spec->folder == tiny.folder.path);
  CHECK(spec->files == std::vector<std::string>{"m.gguf"});
  CHECK(spec->vocab == 3);
  CHECK(spec->maxPositions == 16);
  CHECK(spec->eosIds == std::vector<int32_t>{2});
  CHECK(spec->bosId == -1);
  CHECK_FALSE(spec->head.weight); // tied
  CHECK(spec->warnings.empty());
  REQUIRE(spec->blocks.size() == 1);
  const AttentionSpec &attention = spec->blocks[0].attention;
  CHECK(attention.heads == 2);
  CHECK(attention.headDim == 16);
  // Rotary pairs that lie side by side become halves; values are not rotated.
  REQUIRE(attention.q.weight.op() == TensorExpr::Op::SwapRows);
  CHECK(attention.q.weight.blocks() == 8);
  CHECK(attention.q.weight.size() == 2);
  CHECK(attention.v.weight.op() == TensorExpr::Op::Stored);
  CHECK(spec->ropes[0].theta == 10000.0);
  CHECK(spec->ropes[0].rotaryDim == 16);
}

TEST_CASE("rotary positions of GGUF files") {
  TinyGguf linear;
  linear.maker.text("llama.rope.scaling.type", "linear").pair("llama.rope.scaling.factor", kF32, raw(4.0f));
  Result<ModelSpec> spec = linear.describe();
  REQUIRE(spec);
  CHECK(spec->ropes[0].kind == RopeKind::Linear);
  CHECK(spec->ropes[0].factor == 4.0);

  TinyGguf divided;
  divided.add("rope_freqs.weight", {8});
  spec = divided.describe();
  REQUIRE(spec);
  CHECK(spec->ropes[0].divisors.shape() == std::vector<int64_t>{8});

  TinyGguf longrope;
  longrope.number("rope.scaling.original_context_length", 8);
  longrope.maker.pair("llama.rope.scaling.attn_factor", kF32, raw(1.25f));
  longrope.add("rope_factors_short.weight", {8}).add("rope_factors_long.weight", {8});
  spec = longrope.describe();
  REQUIRE(spec);
  CHECK(spec->ropes[0].divisors.source().name == "rope_factors_short.weight");
  CHECK(spec->ropes[0].attentionFactor == 1.25);
  CHECK(spec->computedPositions == 8);
  CHECK(spec->warnings.size() == 2); // the context, and the factors that do not count

  TinyGguf both;
  both.maker.text("llama.rope.scaling.type", "longrope").pair("llama.rope.scaling.factor", kF32, raw(4.0f));
  CHECK(both.refusal() ==
        "m.gguf: key 'llama.rope.scaling.factor': expected none beside rope_factors_short.weight, found 4.000000");
  TinyGguf without;
  without.maker.text("llama.rope.scaling.type", "longrope");
  CHECK(without.refusal() == "m.gguf: tensor 'rope_factors_short.weight': expected [8], found none");
  TinyGguf unknown;
  unknown.maker.text("llama.rope.scaling.type", "ntk");
  CHECK(unknown.refusal() ==
        "m.gguf: key 'llama.rope.scaling.type': expected none, linear, yarn or longrope, found 'ntk'");
}

TEST_CASE("a factor alone is linear, none switches it off") {
  TinyGguf alone;
  alone.maker.pair("llama.rope.scaling.factor", kF32, raw(4.0f));
  CHECK(alone.describe()->ropes[0].kind == RopeKind::Linear);
  TinyGguf none;
  none.maker.text("llama.rope.scaling.type", "none").pair("llama.rope.scaling.factor", kF32, raw(4.0f));
  CHECK(none.describe()->ropes[0].kind == RopeKind::Default);
  TinyGguf small;
  small.maker.pair("llama.rope.scaling.factor", kF32, raw(0.5f));
  CHECK(small.refusal() == "m.gguf: key 'llama.rope.scaling.factor': expected 0 or at least 1, found 0.500000");
}

TEST_CASE("what an architecture has even where a GGUF file does not say so") {
  TinyGguf absent("gemma2");
  Result<ModelSpec> spec = absent.describe();
  REQUIRE(spec);
  CHECK(spec->blocks[0].attention.softcap == 50);
  CHECK(spec->finalSoftcap == 30);
  CHECK(spec->blocks[0].attention.window == 4096);
  REQUIRE(spec->warnings.size() == 3);
  CHECK(spec->warnings[1] == "m.gguf: key 'gemma2.attn_logit_softcapping' is absent: 50 is assumed, as the "
                             "architecture has it");
  TinyGguf given("gemma2");
  for (const char *key : {"attn_logit_softcapping", "final_logit_softcapping"})
    given.maker.pair(std::string("gemma2.") + key, kF32, raw(2.0f));
  given.number("attention.sliding_window", 7).number("rope.freq_base_swa", 500);
  spec = given.describe();
  REQUIRE(spec);
  CHECK(spec->blocks[0].attention.softcap == 2);
  CHECK(spec->finalSoftcap == 2);
  CHECK(spec->blocks[0].attention.window == 7);
  CHECK(spec->ropes[size_t(spec->blocks[0].attention.rope)].theta == 500);
  CHECK(spec->warnings.empty());

  for (char local : {0, 1}) {
    TinyGguf listed("gemma3");
    listed.number("attention.sliding_window", 7);
    listed.maker.array("gemma3.attention.sliding_window_pattern", kBool, 1, std::string(1, local));
    spec = listed.describe();
    REQUIRE(spec);
    CHECK(spec->blocks[0].attention.window == (local ? 7 : 0));
    CHECK(spec->blocks[0].attention.rope == (local ? 1 : 0));
  }
  TinyGguf tooMany("gemma3");
  tooMany.number("attention.sliding_window", 7);
  tooMany.maker.array("gemma3.attention.sliding_window_pattern", kBool, 2, std::string(2, 1));
  CHECK(tooMany.refusal() ==
        "m.gguf: key 'gemma3.attention.sliding_window_pattern': expected one for each of 1 layers, found 2");

  TinyGguf noWindow("gemma3"); // all layers see everything, and turn alike
  spec = noWindow.describe();
  REQUIRE(spec);
  CHECK(spec->blocks[0].attention.window == 0);
  CHECK(spec->blocks[0].attention.rope == 0);
}

TEST_CASE("granite without rotation") {
  TinyGguf tiny("granite");
  tiny.maker.pair("granite.logit_scale", kF32, raw(2.0f)).pair("granite.rope.scaling.finetuned", kBool, raw(false));
  Result<ModelSpec> spec = tiny.describe();
  REQUIRE(spec);
  CHECK(spec->blocks[0].attention.rope == -1);
}

TEST_CASE("keys that an architecture cannot be without are asked for by name") {
  CHECK(TinyGguf("granite").refusal() == "m.gguf: key 'granite.logit_scale': expected a value, found no such key");
  CHECK(TinyGguf("cohere2").refusal() ==
        "m.gguf: key 'cohere2.attention.sliding_window': expected a value, found no such key");
  CHECK(TinyGguf("gptneox").refusal() ==
        "m.gguf: key 'gptneox.use_parallel_residual': expected a value, found no such key");
  CHECK(TinyGguf("bert").refusal() == "m.gguf: key 'bert.attention.causal': expected a value, found no such key");
}

TEST_CASE("StableLM's blocks are in parallel where the mlp has no norm, whatever the key says") {
  TinyGguf tiny("stablelm");
  tiny.maker.pair("stablelm.use_parallel_residual", kBool, raw(true));
  Result<ModelSpec> spec = tiny.describe();
  REQUIRE(spec);
  CHECK(spec->blocks[0].order == BlockSpec::Order::Default);
}

TEST_CASE("GGUF models that cannot be computed are refused with the reason") {
  auto refusal = [](auto change) {
    TinyGguf tiny;
    change(tiny);
    return tiny.refusal();
  };
  CHECK(TinyGguf("qwen3").number("expert_count", 8).refusal() ==
        "m.gguf: key 'qwen3.expert_count': expected none, as this architecture is computed without it, found 8");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("llama.attention.clamp_kqv", kF32, raw(8.0f)); }) ==
        "m.gguf: key 'llama.attention.clamp_kqv': expected none, as this architecture is computed without it, found 8");
  CHECK(refusal([](TinyGguf &t) { t.add("blk.0.extra.weight", {32}); }) ==
        "m.gguf: tensor 'blk.0.extra.weight': expected only tensors that the architecture llama implies, found an "
        "extra one "
        "of [32]");
  CHECK(refusal([](TinyGguf &t) { t.add("output.weight", {32, 4}); }) ==
        "m.gguf: tensor 'output.weight': expected [3, 32], found [4, 32]");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("general.quantization_version", kU32, raw(uint32_t(1))); }) ==
        "m.gguf: key 'general.quantization_version': expected 2, found 1");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("tokenizer.ggml.bos_token_id", kU32, raw(uint32_t(3))); }) ==
        "m.gguf: key 'tokenizer.ggml.bos_token_id': expected 0 to 2, found 3");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("llama.attention.value_length", kU32, raw(uint32_t(8))); }) ==
        "m.gguf: key 'llama.attention.value_length': expected 16 to 16, found 8");
  CHECK(refusal([](TinyGguf &t) { t.number("rope.dimension_count", 8); }) ==
        "m.gguf: key 'llama.rope.dimension_count': expected 16, found 8");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("llama.something_new", kU32, raw(uint32_t(8))); }) == "accepted");

  GgufMaker adapter;
  adapter.text("general.architecture", "llama").text("general.type", "adapter");
  TemporaryFolder folder;
  folder.write("a.gguf", adapter.bytes());
  auto file = openGguf(folder.path + "/a.gguf");
  REQUIRE(file);
  CHECK(describeGguf(*file).error().message() == "a.gguf: key 'general.type': expected 'model', found 'adapter'");
}

TEST_CASE("tensor types that are not computed with are refused by name") {
  TinyGguf tiny;
  tiny.add("output.weight", {32, 3}, kTensorQ8_0);
  REQUIRE(tiny.describe());
  GgufMaker wide;
  wide.text("general.architecture", "llama");
  for (const char *key : {"block_count", "context_length", "attention.head_count"})
    wide.pair(std::string("llama.") + key, kU32, raw(uint32_t(1)));
  for (const char *key : {"embedding_length", "feed_forward_length"})
    wide.pair(std::string("llama.") + key, kU32, raw(uint32_t(256)));
  wide.pair("llama.attention.layer_norm_rms_epsilon", kF32, raw(1e-5f));
  wide.tensor("token_embd.weight", {256, 1}, kTensorQ8_K, std::string(292, '\1'));
  TemporaryFolder folder;
  folder.write("q.gguf", wide.bytes());
  auto file = openGguf(folder.path + "/q.gguf");
  REQUIRE(file);
  CHECK(describeGguf(*file).error().message() ==
        "q.gguf: tensor 'token_embd.weight': expected a type that is computed with, found Q8_K");
}

TEST_CASE("experts of a GGUF file are one below the other") {
  TinyGguf mixtral("llama", 3);
  mixtral.number("expert_used_count", 2).addExperts(3, 64, kTensorQ4_0);
  Result<GgufFile> file = mixtral.open();
  REQUIRE(file);
  Result<ModelSpec> spec = describeGguf(*file);
  REQUIRE(spec);
  CHECK(spec->warnings.empty());
  const MlpSpec &mlp = spec->blocks[0].mlp;
  CHECK((mlp.experts.count == 3 && mlp.experts.top == 2 && mlp.experts.normalise));
  CHECK(mlp.experts.router.weight.shape() == std::vector<int64_t>{3, 32});
  CHECK(mlp.gate.weight.shape() == std::vector<int64_t>{192, 32});
  CHECK(mlp.down.weight.shape() == std::vector<int64_t>{96, 64});
  // The stored blocks themselves, so that their codes can be kept.
  for (const LinearSpec *linear : {&mlp.gate, &mlp.up, &mlp.down})
    CHECK(linear->weight.op() == TensorExpr::Op::Stored);
  CHECK(mlp.down.name == "blk.0.ffn_down_exps");
  keepEncodings(*spec, file->checkpoint);
  CHECK(mlp.experts.router.encoding == "f32");
  for (const LinearSpec *linear : {&mlp.gate, &mlp.up, &mlp.down})
    CHECK((linear->encoding == "w4" && linear->group == 32 && linear->codes == "codes kept"));

  TinyGguf fused("olmoe", 5);
  fused.number("expert_used_count", 1).number("expert_feed_forward_length", 48);
  fused.add("blk.0.ffn_gate_up_exps.weight", {32, 96, 5}).add("blk.0.ffn_down_exps.weight", {48, 32, 5});
  spec = fused.describe();
  REQUIRE(spec);
  const MlpSpec &halves = spec->blocks[0].mlp;
  CHECK_FALSE(halves.experts.normalise);
  CHECK(halves.gate.weight.shape() == std::vector<int64_t>{240, 32});
  CHECK((halves.gate.weight.period() == 96 && halves.gate.weight.first() == 0 && halves.gate.weight.size() == 48));
  CHECK((halves.up.weight.period() == 96 && halves.up.weight.first() == 48 && halves.up.weight.size() == 48));

  TinyGguf dense; // as some dense files say it
  CHECK(dense.number("expert_count", 0).number("expert_used_count", 0).describe()->blocks[0].mlp.experts.count == 0);
}

TEST_CASE("mixtures of experts of GGUF files that cannot be computed are refused with the reason") {
  auto refusal = [](auto change) {
    TinyGguf tiny("qwen3moe", 4);
    tiny.number("expert_used_count", 2).number("expert_feed_forward_length", 64).addExperts(4, 64);
    change(tiny);
    return tiny.refusal();
  };
  CHECK(refusal([](TinyGguf &) {}) == "accepted");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("qwen3moe.expert_weights_norm", kBool, raw(true)); }) == "accepted");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("qwen3moe.expert_weights_norm", kBool, raw(false)); }) ==
        "m.gguf: key 'qwen3moe.expert_weights_norm': expected true, as this architecture has it, found false");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("qwen3moe.expert_weights_scale", kF32, raw(1.0f)); }) == "accepted");
  CHECK(refusal([](TinyGguf &t) { t.maker.pair("qwen3moe.expert_weights_scale", kF32, raw(2.5f)); }) ==
        "m.gguf: key 'qwen3moe.expert_weights_scale': expected none, as this architecture is computed without it, "
        "found 2.5");
  CHECK(refusal([](TinyGguf &t) { t.number("expert_gating_func", 2); }) ==
        "m.gguf: key 'qwen3moe.expert_gating_func': expected 0 to 1, found 2");
  CHECK(refusal([](TinyGguf &t) { t.number("expert_shared_count", 1); }) ==
        "m.gguf: key 'qwen3moe.expert_shared_count': expected none, as this architecture is computed without it, found "
        "1");
  CHECK(refusal([](TinyGguf &t) { t.number("leading_dense_block_count", 1); }) ==
        "m.gguf: key 'qwen3moe.leading_dense_block_count': expected none, as this architecture is computed without it, "
        "found 1");
  CHECK(refusal([](TinyGguf &t) { t.add("blk.0.exp_probs_b.bias", {4}); }) ==
        "m.gguf: tensor 'blk.0.exp_probs_b.bias': expected only tensors that the architecture qwen3moe implies, found "
        "an extra one of [4]");
  TinyGguf tooMany("llama", 4);
  CHECK(tooMany.number("expert_used_count", 5).refusal() ==
        "m.gguf: key 'llama.expert_used_count': expected 1 to 4, found 5");
  TinyGguf other("llama", 4);
  CHECK(other.number("expert_used_count", 2).addExperts(3, 64).refusal() ==
        "m.gguf: tensor 'blk.0.ffn_gate_exps.weight': expected [4, 64, 32], found [3, 64, 32]");
  CHECK(TinyGguf("llama", 4).refusal() == "m.gguf: key 'llama.expert_used_count': expected a value, found no such key");
  CHECK(TinyGguf("olmoe").refusal() == "m.gguf: key 'olmoe.expert_count': expected a value, found no such key");
  CHECK(TinyGguf("qwen3moe", 4).refusal() ==
        "m.gguf: key 'qwen3moe.expert_feed_forward_length': expected a value, found no such key");
}

TEST_CASE("unknown keys of a GGUF file are told") {
  TinyGguf tiny;
  tiny.number("something_new", 8);
  Result<ModelSpec> spec = tiny.describe();
  REQUIRE(spec);
  CHECK(spec->warnings == std::vector<std::string>{"m.gguf: key 'llama.something_new' is not known and was ignored"});
}

TEST_CASE("what is quantized keeps its encoding where one holds it") {
  TinyGguf tiny;
  tiny.add("output.weight", {32, 3}, kTensorQ4_0);
  Result<GgufFile> file = tiny.open();
  REQUIRE(file);
  Result<ModelSpec> spec = describeGguf(*file);
  REQUIRE(spec);
  std::vector<ManifestStored> stored = keepEncodings(*spec, file->checkpoint);
  CHECK(spec->head.encoding == "w4");
  CHECK(spec->head.group == 32);
  CHECK(spec->head.codes == "codes kept");
  CHECK(spec->embedding.encoding == "f32");
  CHECK(spec->embedding.codes.empty());
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].text() == "F32 in f32: kept");
  CHECK((stored[0].first == "token_embd.weight" && stored[0].tensors == 8));
  CHECK(stored[1].text() == "Q4_0 in w4 g32: kept");
  CHECK((stored[1].first == "output.weight" && stored[1].tensors == 1));
  CHECK((stored[1].values == 96 && stored[1].bytes == 54));
}

TEST_CASE("an option for one table leaves the other to the file") {
  auto kept = [](bool tied, KeptTables tables) {
    TinyGguf tiny;
    if (!tied)
      tiny.add("output.weight", {32, 3}, kTensorQ4_0);
    Result<GgufFile> file = tiny.open();
    REQUIRE(file);
    Result<ModelSpec> spec = describeGguf(*file);
    REQUIRE(spec);
    keepEncodings(*spec, file->checkpoint, tables);
    return std::pair(spec->embedding.encoding, spec->head.encoding);
  };
  CHECK(kept(false, {true, false}) == std::pair<std::string, std::string>("f32", ""));
  CHECK(kept(false, {false, true}) == std::pair<std::string, std::string>("", "w4"));
  CHECK(kept(true, {true, false}).first == "f32");
  CHECK(kept(true, {false, true}).first == "f32");
  CHECK(kept(true, {false, false}).first == "");
}
