const ITEM = /^[\x21-\x2b\x2d-\x7e]+$/;

/**
 * Whether a text can be an item of a comma-separated list in a header: visible ASCII but the comma.
 * A message may name extensions that are not.
 */
export function isListable(item: string): boolean {
  return ITEM.test(item);
}
