// ChatTemplate.h - a bundle's chat template: messages to text, and what ends an answer.
#ifndef HEADRACE_TOOLS_CHATTEMPLATE_H
#define HEADRACE_TOOLS_CHATTEMPLATE_H

#include "compiler/tools/headrace/Bundle.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace headrace {

class ChatTemplate {
public:
  /// An error where the bundle has no template or no tokenizer. `bundle` must outlive this.
  static Result<ChatTemplate> open(const OpenBundle &bundle);

  /// The text for a context, an object with "messages" and whatever else the template looks at; unless the context says
  /// otherwise, up to where the model answers. As transformers does, fields of messages that are null are left out, and
  /// a message's reasoning is there under all of its names. The error has the template's line or message.
  Result<std::string> render(nlohmann::ordered_json context) const;
  /// Ids of rendered text: special tokens in it become their ids, none are added.
  Result<std::vector<int32_t>> encode(std::string_view text) const;
  /// Whether rendered text has by far more than `most` tokens.
  bool isFarTooLong(std::string_view text, size_t most) const;
  /// Is this id one that shows nothing?
  bool isSpecial(int32_t id) const;
  /// Beside the end ids of the library: the special token that the template puts behind an answer, if it does.
  const std::vector<int32_t> &endIds() const { return ends; }

private:
  explicit ChatTemplate(const OpenBundle &bundle) : bundle(&bundle) {}
  void findEndOfTurn();

  const OpenBundle *bundle;
  hr_tokenizer tokenizer = {};
  hr_template chatTemplate = {};
  std::vector<int32_t> ends;
};

} // namespace headrace
#endif
