// Decoders.cpp - decoders of tokenizer.json.
//
// A stream gives out text token by token, so decoders must come in this order: some that look at one token; ByteFallback,
// which joins bytes; Fuse; Strip at the beginning of the text. Or those of one token, then ByteLevel, then Strip.
#include "compiler/import/tokenizer/SpecReader.h"

namespace headrace::tokenizer {

namespace {

enum Stage { OneToken, Bytes, Fused, Stripped };

struct Reader {
  Spec &spec;
  Stage stage = OneToken;

  void read(const JsonField &field);
  void readOne(const JsonField &field, const std::string &type);
  bool addStep(const JsonField &field, const std::string &type);
  void moveTo(const JsonField &field, Stage next) {
    if (next <= stage)
      field.fail("the order: decoders of one token, ByteFallback, Fuse or ByteLevel, Strip", field.type());
    stage = next;
  }
};

std::string oneCharacter(const JsonField &field) {
  if (codesOf(field.string()).size() != 1)
    field.fail("one character");
  return field.string();
}

DecoderStep stripStep(const JsonField &field) {
  DecoderStep step{DecoderStep::Strip, oneCharacter(field["content"]), "", false, 0, 0};
  step.start = field["start"].number(256, "a count");
  step.stop = field["stop"].number(256, "a count");
  return step;
}

/// A decoder of one token; false: `type` is none.
bool Reader::addStep(const JsonField &field, const std::string &type) {
  DecoderStep step{DecoderStep::Replace, "", "", false, 0, 0};
  if (type == "Replace") {
    step.find = readPattern(field["pattern"], nullptr);
    step.with = field["content"].string();
    if (step.find.empty())
      field["pattern"].fail("a String that is not empty");
  } else if (type == "Metaspace") {
    step.kind = DecoderStep::Metaspace;
    step.find = oneCharacter(field["replacement"]);
    std::string scheme = field.has("prepend_scheme") ? field["prepend_scheme"].string() : "always";
    if (scheme != "always" && scheme != "first" && scheme != "never")
      field["prepend_scheme"].fail("always, first or never");
    step.option = scheme != "never";
  } else if (type == "WordPiece") {
    step.kind = DecoderStep::WordPiece;
    step.find = field["prefix"].string();
    step.option = field["cleanup"].boolean();
  } else if (type == "BPEDecoder") {
    step.kind = DecoderStep::Suffix;
    step.find = field["suffix"].string();
    if (step.find.empty())
      field["suffix"].fail("a string that is not empty");
    if (!spec.decoder.steps.empty())
      field.fail("nothing before BPEDecoder", "others");
  } else if (type == "Strip" && stage < Fused)
    step = stripStep(field);
  else
    return false;
  if (stage != OneToken || (!spec.decoder.steps.empty() && spec.decoder.steps[0].kind == DecoderStep::Suffix))
    field.fail("the order: decoders of one token, ByteFallback, Fuse or ByteLevel, Strip", type);
  spec.decoder.steps.push_back(step);
  return true;
}

void Reader::readOne(const JsonField &field, const std::string &type) {
  Decoder &decoder = spec.decoder;
  if (addStep(field, type))
    return;
  bool suffix = !decoder.steps.empty() && decoder.steps[0].kind == DecoderStep::Suffix;
  if (type == "ByteFallback") {
    moveTo(field, Bytes);
    decoder.byteFallback = true;
  } else if (type == "Fuse")
    moveTo(field, Fused);
  else if (type == "ByteLevel") {
    if (stage == Bytes)
      field.fail("no ByteLevel after ByteFallback", type);
    moveTo(field, Fused);
    decoder.byteLevel = true;
  } else if (type == "Strip") {
    moveTo(field, Stripped);
    DecoderStep step = stripStep(field);
    if (step.stop)
      field["stop"].fail("0 once tokens are fused");
    decoder.stripCount = step.start;
    if (!field.failed())
      decoder.stripChar = codesOf(step.find)[0];
  } else
    return field.failType("ByteLevel, Replace, Metaspace, WordPiece, BPEDecoder, ByteFallback, Fuse, Strip or Sequence");
  if (suffix && (decoder.byteFallback || decoder.byteLevel))
    field.fail("no bytes after BPEDecoder", type);
}

void Reader::read(const JsonField &field) {
  if (field.failed())
    return;
  std::string type = field.type();
  if (type != "Sequence")
    return readOne(field, type);
  JsonField list = field["decoders"];
  for (size_t i = 0, count = list.listSize(); i < count; i++)
    read(list.at(i));
}

} // namespace

void readDecoder(const JsonField &field, Spec &spec) {
  if (field.isNull())
    spec.decoder.joinSpace = true;
  else
    Reader{spec}.read(field);
}

} // namespace headrace::tokenizer
