/**
 * A text in slices of so many characters, one more where the two halves of a character would be parted: alone
 * they are written otherwise, or not at all.
 */
export function* slicesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let from = 0; from < text.length;) {
    const end = from + length + (isFirstHalf(text.charCodeAt(from + length - 1)) ? 1 : 0);
    yield text.slice(from, end);
    from = end;
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
