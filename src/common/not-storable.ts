/** U+0000 and halves of surrogate pairs: no database keeps them, so that two texts could become the same. */
export const NOT_STORABLE = /\0|\p{Surrogate}/u;
