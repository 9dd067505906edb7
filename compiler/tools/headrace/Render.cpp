// headrace render - the chat template of a bundle, a model folder, a GGUF file or a .jinja file, with a context.
#include "compiler/import/gguf/Gguf.h"
#include "compiler/import/template/TemplateSource.h"
#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Rendering.h"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

namespace headrace {
namespace {

/// The template of what is no bundle.
Result<TemplateSource> readSource(const std::string &what, bool folder, const std::string &chosen) {
  Result<std::optional<TemplateSource>> source = std::optional<TemplateSource>();
  if (folder) {
    source = templateOfFolder(what, chosen);
  } else if (looksLikeGguf(what)) {
    auto file = openGguf(what);
    if (!file)
      return file.error();
    source = templateOfGguf(file->metadata, chosen);
  } else if (!chosen.empty()) {
    return expectedFound("--chat-template", "a model folder or a GGUF file", "the file " + inQuotes(fileNameOf(what)));
  } else {
    auto text = readFile(what);
    if (!text)
      return text.error();
    TemplateSource only;
    only.plain = TemplateText{text.take(), fileNameOf(what)};
    source = std::optional(std::move(only));
  }
  if (!source)
    return source.error();
  if (!*source)
    return expectedFound(what, "a chat template", "none");
  return std::move(**source);
}

Result<std::string> renderCompiled(const std::string &what, bool folder, const std::string &chosen,
                                   std::string_view context) {
  auto source = readSource(what, folder, chosen);
  if (!source)
    return source.error();
  auto section = compileTemplate(*source);
  if (!section)
    return section.error();
  hr_template chatTemplate;
  hr_status status = hr_template_open(&chatTemplate, section->data(), section->size());
  if (status != HR_OK)
    return Error(fileNameOf(what) + ": chat template: " + hr_status_text(status));
  return renderTemplate(chatTemplate, context);
}

Result<std::string> render(const std::string &what, const std::string &contextFile, const std::string &chosen) {
  auto context = readFile(contextFile);
  if (!context)
    return context.error();
  struct stat info;
  if (stat(what.c_str(), &info) != 0)
    return expectedFound(what, "a bundle, a model folder, a GGUF file or a .jinja file", systemErrorText(errno));
  bool folder = S_ISDIR(info.st_mode);
  if (!folder || !pathExists(what + "/weights.bin"))
    return renderCompiled(what, folder, chosen, *context);
  if (!chosen.empty())
    return expectedFound("--chat-template", "a model folder or a GGUF file (headrace compile --chat-template)",
                         "the bundle " + inQuotes(fileNameOf(what)));
  auto weights = MappedFile::open(what + "/weights.bin");
  if (!weights)
    return weights.error();
  auto chatTemplate = templateOf(*weights, what);
  if (!chatTemplate)
    return chatTemplate.error();
  return renderTemplate(*chatTemplate, *context);
}

} // namespace

void addRender(CLI::App &app, int &exitCode) {
  auto what = std::make_shared<std::string>(), context = std::make_shared<std::string>();
  auto chosen = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("render", "a chat template with a context: headrace render WHAT --context F.json");
  command->add_option("what", *what, "a bundle, a model folder, a GGUF file or a .jinja file")->required();
  command
      ->add_option(
          "--context", *context,
          "a JSON object: \"messages\", \"tools\", \"add_generation_prompt\" and what else the template names; "
          "\"now\" (ISO 8601) is the time of strftime_now")
      ->required();
  command->add_option("--chat-template", *chosen,
                      "which of several named templates of a folder or GGUF file (default: 'default', and 'tool_use' "
                      "where the context has tools)");
  command->callback([what, context, chosen, &exitCode] {
    auto text = render(*what, *context, *chosen);
    if (!text)
      exitCode = report(text.error());
    else
      std::fwrite(text->data(), 1, text->size(), stdout);
  });
}

} // namespace headrace
