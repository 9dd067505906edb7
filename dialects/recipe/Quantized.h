// Steps of recipes for weights that are quantized in the checkpoint. See Quantized.td.
#pragma once
#include "dialects/recipe/Recipe.h"

namespace headrace::recipe {

/// On a model.weight: what becomes of the codes that its recipe reads: "codes kept", "requantized" ...
inline constexpr llvm::StringLiteral kCodesAttr = "recipe.codes";

} // namespace headrace::recipe

#define GET_OP_CLASSES
#include "dialects/recipe/RecipeQuantizedOps.h.inc"
