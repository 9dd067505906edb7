#include "compiler/tools/headrace/Api.h"

#include "compiler/support/ErrorText.h"

#include <cerrno>
#include <dlfcn.h>
#include <sys/stat.h>

namespace headrace {

Result<LoadedLibrary> loadLibrary(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return expectedFound(fileNameOf(path), "the shared object for this machine", systemErrorText(errno));
  // A name without a slash would be looked up in the system's folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return expectedFound(fileNameOf(path), "a shared object that can be loaded", inQuotes(dlerror()));

  auto getLibrary = reinterpret_cast<const hr_library *(*)()>(dlsym(handle, "hr_library_get"));
  auto getApi = reinterpret_cast<const hr_api *(*)()>(dlsym(handle, "hr_api_get"));
  if (!getLibrary || !getApi)
    return expectedFound(fileNameOf(path), "the symbols hr_library_get and hr_api_get", "none");
  LoadedLibrary loaded = {getApi(), getLibrary()};
  if (loaded.api->abi_version != HR_ABI_VERSION || loaded.api->bytes != sizeof(hr_api))
    return expectedFound(fileNameOf(path), "ABI " + std::to_string(HR_ABI_VERSION),
                         "ABI " + std::to_string(loaded.api->abi_version) + "; compile the model again");
#ifdef HEADRACE_LINKED_CORE
  loaded.api = hr_api_get();
#endif
  return loaded;
}

} // namespace headrace
