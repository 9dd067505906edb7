// headrace run - the runtime's own run command (runtime/tools), over files and threads of the C library and a bundle's
// library that is loaded at run time. Flags and output are those of a bundle's headrace-run, because the code is; only
// --jsonl is of this program.
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Host.h"

#include <cstring>

namespace headrace {

int runMain(int argc, const char *const *argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--jsonl") == 0)
      return jsonlMain(argc, argv);
  Host host;
  host.table.more_help =
      "\nheadrace run BUNDLE --jsonl: requests on stdin, answers on stdout (headrace run --jsonl --help).\n";
  return hr_run_main(&host.table, argc, argv);
}

} // namespace headrace
