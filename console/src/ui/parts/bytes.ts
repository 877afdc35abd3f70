/** The bytes of a base64 text, standard or for URLs; null where it is none. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return bytes;
  } catch {
    return null;
  }
}

/** The text that the bytes are in UTF-8; null where they are none. */
export function textOfBytes(bytes: Uint8Array): string | null {
  // A text has no zero bytes, and what has them is seen at its beginning.
  if (bytes.subarray(0, 4096).includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** About how many bytes a base64 text is, without reading it. */
export function sizeOfBase64(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
