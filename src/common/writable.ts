/** An object whose members may be set: one that is still being put together. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
