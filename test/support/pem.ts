import type { PemText } from '../../src/common/tls/pem.js';

/** PEM as a setting holds it that names no file. */
export function pem(text: string): PemText {
  return { text, file: null };
}
