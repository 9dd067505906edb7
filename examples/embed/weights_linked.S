// The weights as part of the program, as on a device that executes in place from flash.
  .section .rodata
  .balign 16384
  .globl embedded_weights
embedded_weights:
  .incbin WEIGHTS_FILE
embedded_weights_end:
  .globl embedded_weights_end
  .section .note.GNU-stack, "", %progbits
