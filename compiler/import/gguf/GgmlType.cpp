#include "compiler/import/gguf/GgmlType.h"

namespace headrace {

static const GgmlType kTypes[] = {
    {0, "F32", 1, 4, ElementType::F32},           {1, "F16", 1, 2, ElementType::F16},
    {2, "Q4_0", 32, 18, ElementType::Q4_0},       {3, "Q4_1", 32, 20, ElementType::Q4_1},
    {6, "Q5_0", 32, 22, ElementType::Q5_0},       {7, "Q5_1", 32, 24, ElementType::Q5_1},
    {8, "Q8_0", 32, 34, ElementType::Q8_0},       {9, "Q8_1", 32, 36, ElementType::Other},
    {10, "Q2_K", 256, 84, ElementType::Q2_K},     {11, "Q3_K", 256, 110, ElementType::Q3_K},
    {12, "Q4_K", 256, 144, ElementType::Q4_K},    {13, "Q5_K", 256, 176, ElementType::Q5_K},
    {14, "Q6_K", 256, 210, ElementType::Q6_K},    {15, "Q8_K", 256, 292, ElementType::Other},
    {16, "IQ2_XXS", 256, 66, ElementType::Other}, {17, "IQ2_XS", 256, 74, ElementType::Other},
    {18, "IQ3_XXS", 256, 98, ElementType::Other}, {19, "IQ1_S", 256, 50, ElementType::Other},
    {20, "IQ4_NL", 32, 18, ElementType::IQ4_NL},  {21, "IQ3_S", 256, 110, ElementType::Other},
    {22, "IQ2_S", 256, 82, ElementType::Other},   {23, "IQ4_XS", 256, 136, ElementType::IQ4_XS},
    {24, "I8", 1, 1, ElementType::Other},         {25, "I16", 1, 2, ElementType::Other},
    {26, "I32", 1, 4, ElementType::Other},        {27, "I64", 1, 8, ElementType::Other},
    {28, "F64", 1, 8, ElementType::Other},        {29, "IQ1_M", 256, 56, ElementType::Other},
    {30, "BF16", 1, 2, ElementType::BF16},        {34, "TQ1_0", 256, 54, ElementType::Other},
    {35, "TQ2_0", 256, 66, ElementType::Other},   {39, "MXFP4", 32, 17, ElementType::MXFP4},
    {40, "NVFP4", 64, 36, ElementType::Other},    {41, "Q1_0", 128, 18, ElementType::Other},
};

const GgmlType *findGgmlType(uint32_t id) {
  for (const GgmlType &row : kTypes)
    if (row.id == id)
      return &row;
  return nullptr;
}

} // namespace headrace
