#include "Fixtures.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"
#include "compiler/support/OutputFolder.h"
#include "compiler/support/Parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace headrace;
using fixtures::TemporaryFolder;
namespace fs = std::filesystem;

static size_t entries(const std::string &folder) {
  return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("names in errors cannot break the line") {
  CHECK(inQuotes("a.b") == "'a.b'");
  CHECK(inQuotes("a\n\x1b[31m") == "'a\\x0a\\x1b[31m'");
  CHECK(inQuotes("\xc3\xa9\xff\xc2\x85") == "'\xc3\xa9\\xff\\xc2\\x85'");
  CHECK(inQuotes(std::string(200, 'x')) == "'" + std::string(80, 'x') + "...'");
  CHECK(shapeText({}) == "[]");
  CHECK(fileNameOf("/a/b/") == "b");
}

TEST_CASE("an output folder appears whole") {
  TemporaryFolder folder;
  const std::string target = folder.path + "/out.bundle";
  auto out = OutputFolder::create(target + "/", "manifest.json");
  REQUIRE(out);
  REQUIRE(out->write("lib/x/a.so", "code", true));
  REQUIRE(out->write("manifest.json", "{}"));
  CHECK_FALSE(fs::exists(target));
  REQUIRE(out->commit());
  CHECK(*readFile(target + "/lib/x/a.so") == "code");
  CHECK(entries(folder.path) == 1);

  auto again = OutputFolder::create(target, "manifest.json");
  REQUIRE(again);
  REQUIRE(again->write("manifest.json", "[]"));
  CHECK(*readFile(target + "/manifest.json") == "{}");
  REQUIRE(again->commit());
  CHECK(*readFile(target + "/manifest.json") == "[]");
  CHECK_FALSE(fs::exists(target + "/lib"));
  CHECK(entries(folder.path) == 1);
}

TEST_CASE("an output folder that is not committed leaves nothing") {
  TemporaryFolder folder;
  {
    auto out = OutputFolder::create(folder.path + "/out", "manifest.json");
    REQUIRE(out);
    REQUIRE(out->write("a/b/c", "x"));
    CHECK(entries(folder.path) == 1);
  }
  CHECK(entries(folder.path) == 0);
}

TEST_CASE("other people's files are not replaced") {
  TemporaryFolder folder;
  fs::create_directory(folder.path + "/nest");
  folder.write("nest/letter.txt", "x");
  folder.write("file", "x");
  CHECK(OutputFolder::create(folder.path + "/nest", "manifest.json").error().message() ==
        folder.path + "/nest: expected a new name or an earlier output folder, found a folder without manifest.json");
  CHECK(OutputFolder::create(folder.path + "/file", "manifest.json").error().message() ==
        folder.path + "/file: expected a new name or an earlier output folder, found something that is not a folder");
  CHECK(OutputFolder::create(folder.path + "/none/out", "manifest.json").error().message() ==
        folder.path + "/none: cannot be written: no such folder");
  CHECK(fs::exists(folder.path + "/nest/letter.txt"));
}

/// A child process that has written half an output and is then ended by `signal`; returns the signal that ended it.
static int endChild(const std::string &target, int signal) {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(signal, SIG_DFL);
    auto out = OutputFolder::create(target, "manifest.json");
    bool written = out && out->write("lib/x/a.so", "code") && out->write("weights.bin", std::string(10000, 'w'));
    if (::write(ready[1], written ? "y" : "n", 1) != 1)
      ::_exit(1);
    for (;;)
      ::pause();
  }
  char answer = 0;
  REQUIRE(::read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("an interrupted process leaves nothing, and a killed one only until the next") {
  TemporaryFolder folder;
  const std::string target = folder.path + "/out";
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CHECK(endChild(target, signal) == signal);
    CHECK(entries(folder.path) == 0);
  }
  CHECK(endChild(target, SIGKILL) == SIGKILL);
  CHECK(entries(folder.path) == 1);
  {
    auto live = OutputFolder::create(target, "manifest.json");
    CHECK(entries(folder.path) == 1);
    auto other = OutputFolder::create(target, "manifest.json"); // the live one stays
    CHECK(entries(folder.path) == 2);
  }
  CHECK(entries(folder.path) == 0);
}

TEST_CASE("files are mapped, or refused with the system's reason") {
  TemporaryFolder folder;
  folder.write("empty", "");
  folder.write("five", "hello");
  CHECK(MappedFile::open(folder.path + "/empty")->size() == 0);
  CHECK(MappedFile::open(folder.path + "/five")->text() == "hello");
  CHECK(MappedFile::open(folder.path).error().message() == folder.path + ": expected a file, found a folder");
  CHECK(readFile(folder.path + "/five", 4).error().message() ==
        folder.path + "/five: expected at most 4 bytes, found 5 bytes");
}

TEST_CASE("a parallel loop does each piece once") {
  for (unsigned threads : {0u, 1u, 3u, 16u}) {
    std::vector<std::atomic<int>> done(100);
    parallelFor(threads, done.size(), [&](size_t i) { ++done[i]; });
    CHECK(std::all_of(done.begin(), done.end(), [](const std::atomic<int> &n) { return n == 1; }));
  }
  parallelFor(4, 0, [](size_t) { FAIL("no pieces, no work"); });
}
