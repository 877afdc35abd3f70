const LONG = 18;

/** An id that says nothing to people, by its beginning and its end. */
export function shortened(id: string): string {
  return id.length > LONG ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}
