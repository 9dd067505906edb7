// Steps of recipes that make values when the bundle is written. See Computed.td.
#pragma once
#include "dialects/recipe/Recipe.h"

#define GET_OP_CLASSES
#include "dialects/recipe/RecipeComputedOps.h.inc"
