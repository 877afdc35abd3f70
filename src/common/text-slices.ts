/**
 * A text in slices of so many characters, one more where the two halves of a character would be parted: alone
 * they are written otherwise, or not at all.
 */
export function* slicesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let from = 0; from < text.length;) {
    let end = from + length;
    if (isFirstHalf(text.charCodeAt(end - 1)) && isSecondHalf(text.charCodeAt(end))) end += 1;
    yield text.slice(from, end);
    from = end;
  }
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
