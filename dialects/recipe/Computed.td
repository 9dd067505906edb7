// recipe: values that are computed when the bundle is written. Apart from Recipe.td because only import and the interpreter know these steps.
#ifndef HEADRACE_RECIPE_COMPUTED_TD
#define HEADRACE_RECIPE_COMPUTED_TD
include "dialects/recipe/Recipe.td"

def Recipe_LiteralOp : Recipe_Op<"literal", [Pure]> {
  let summary = "numbers that a configuration holds";
  let description = [{
    ```mlir
    %0 = recipe.literal [1.0, 1.05, 1.1, 1.2] : tensor<4xf32>
    ```
    A few numbers, such as the divisors of rotary frequencies; whatever is larger lies in a file.

    C1: the result is a vector with as many elements as there are values.
    C2: the values are finite.
  }];
  let arguments = (ins DenseF32ArrayAttr:$values);
  let results = (outs Recipe_F32Tensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Recipe_MatmulOp : Recipe_Op<"matmul", [Pure]> {
  let summary = "the product of two matrices";
  let description = [{
    ```mlir
    %2 = recipe.matmul %0, %1 : tensor<50272x512xf32>, tensor<512x1024xf32> to tensor<50272x1024xf32>
    ```
    Two linear steps of a checkpoint become one: an embedding and its projection. Sums are f64, k ascending, rounded once.

    C1: the inputs are matrices, the second with a row for each column of the first.
    C2: the result has the first one's rows and the second one's columns.
  }];
  let arguments = (ins Recipe_F32Tensor:$lhs, Recipe_F32Tensor:$rhs);
  let results = (outs Recipe_F32Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `to` type($result)";
  let hasVerifier = 1;
}
#endif
