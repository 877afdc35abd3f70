/** Texts of a list that a sentence names, and the characters of each. */
const MAX_NAMED = 10;
const MAX_NAME = 200;

/** Texts of others in a sentence: the first ten, or `most`, long ones cut, and how many more there are. */
export function namedList(texts: readonly string[], most = MAX_NAMED): string {
  const shown = texts.slice(0, most).map(cut).join(', ');
  const more = texts.length - most;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function cut(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
