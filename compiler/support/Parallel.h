// Parallel.h - independent pieces of work on all cores.
#ifndef HEADRACE_SUPPORT_PARALLEL_H
#define HEADRACE_SUPPORT_PARALLEL_H

#include <cstddef>
#include <functional>

namespace headrace {

/// Number of hardware threads, at least 1.
unsigned hardwareThreads();

/// Runs work(i) for each i in [0, count) on at most `threads` threads (the caller's included) and returns when all are
/// done. The order is not fixed: pieces must not depend on one another, so that results do not depend on the number of
/// threads. work must not throw.
void parallelFor(unsigned threads, size_t count, const std::function<void(size_t)> &work);

} // namespace headrace
#endif
