#include "compiler/tools/headrace/Difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>

namespace headrace {
namespace {

double norm(const std::vector<float> &values) {
  auto v = xt::cast<double>(xt::adapt(values));
  return std::sqrt(xt::sum(v * v)());
}

Difference difference(const std::string &name, const std::vector<float> &found, const std::vector<float> &reference) {
  auto delta = xt::cast<double>(xt::adapt(found)) - xt::cast<double>(xt::adapt(reference));
  double distance = std::sqrt(xt::sum(delta * delta)()), size = norm(reference);
  double relative = distance == 0 ? 0 : size == 0 ? HUGE_VAL : distance / size;
  return {name, relative, found.empty() ? 0 : xt::amax(xt::abs(delta))()};
}

} // namespace

std::vector<Difference> compareRecordings(const Recording &found, const Recording &reference) {
  std::map<std::string, const RecordedValue *> byName;
  for (const RecordedValue &value : reference.values)
    byName[value.name] = &value;
  std::vector<Difference> differences;
  for (const RecordedValue &value : found.values) {
    auto other = byName.find(value.name);
    if (other != byName.end() && other->second->rows.size() == value.rows.size())
      differences.push_back(difference(value.name, value.rows, other->second->rows));
  }
  differences.push_back(difference("logits", found.logits, reference.logits));
  return differences;
}

bool isJudged(const std::string &name) {
  constexpr std::string_view route = ".route";
  bool isRoute = name.size() >= route.size() && name.compare(name.size() - route.size(), route.size(), route) == 0;
  return !isRoute && name.find(".choice") == std::string::npos;
}

std::vector<std::string> notCompared(const Recording &found, const Recording &reference) {
  std::vector<std::string> names;
  auto addMissing = [&](const Recording &from, const Recording &other) {
    for (const RecordedValue &value : from.values)
      if (std::none_of(other.values.begin(), other.values.end(), [&](const RecordedValue &v) {
            return v.name == value.name && v.rows.size() == value.rows.size();
          }))
        names.push_back(value.name);
  };
  addMissing(found, reference);
  addMissing(reference, found);
  return names;
}

size_t sameChoices(const Recording &found, const Recording &reference) {
  auto choices = [](const Recording &r) {
    xt::xtensor<float, 2> logits = xt::adapt(r.logits, std::array<size_t, 2>{r.tokens, r.vocab});
    return xt::xtensor<size_t, 1>(xt::argmax(logits, 1));
  };
  return static_cast<size_t>(xt::sum(xt::cast<int>(xt::equal(choices(found), choices(reference))))());
}

} // namespace headrace
