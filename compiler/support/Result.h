// Result.h - how MLIR-free code reports failure: a value or one error line, never an exception that reaches a caller.
//
//   Result<MappedFile> file = MappedFile::open(path);
//   if (!file)
//     return file.error();
//   use(file->bytes());
#ifndef HEADRACE_SUPPORT_RESULT_H
#define HEADRACE_SUPPORT_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace headrace {

/// One line for the user, lower-case, without the "headrace: error: " that the command puts before it.
class Error {
public:
  explicit Error(std::string message) : text(std::move(message)) {}
  const std::string &message() const { return text; }
  /// The same error seen from further out: "CONTEXT: message".
  Error in(const std::string &context) const { return Error(context + ": " + text); }

private:
  std::string text;
};

/// A T, or the Error that prevented it. Reading the value of a failed result is a bug in the caller.
template <typename T> class [[nodiscard]] Result {
public:
  template <typename U = T, typename = std::enable_if_t<std::is_convertible_v<U, T>>>
  Result(U &&value) : held(std::forward<U>(value)) {}
  Result(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  T &operator*() & { return *(assert(held), held); }
  const T &operator*() const & { return *(assert(held), held); }
  T &&operator*() && { return std::move(*(assert(held), held)); }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  T take() { return std::move(**this); }
  const Error &error() const { return *(assert(failure), failure); }

private:
  std::optional<T> held;
  std::optional<Error> failure;
};

/// Success, or an Error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *(assert(failure), failure); }

private:
  std::optional<Error> failure;
};

/// Leaves the enclosing function with the error of `expression` (a Result<void>), if there is one.
#define HR_TRY(expression)                                                                                             \
  do {                                                                                                                 \
    if (auto hrTried = (expression); !hrTried)                                                                         \
      return hrTried.error();                                                                                          \
  } while (false)

} // namespace headrace
#endif
