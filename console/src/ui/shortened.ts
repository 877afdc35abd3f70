const LONG = 18;

/** An id that says nothing to people, by its beginning and its end. */
export function shortened(id: string): string {
  return id.length > LONG ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}

/** What is left of an id that was shortened; undefined of a text that is none. */
export function partsOfShortened(
  text: string,
): { readonly begin: string; readonly end: string } | undefined {
  const parts = /^([^\s…]{2,})(?:…|\.{3})([^\s…]{2,})$/.exec(text);
  return parts ? { begin: parts[1]!.toLowerCase(), end: parts[2]!.toLowerCase() } : undefined;
}
