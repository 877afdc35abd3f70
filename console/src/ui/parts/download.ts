const LONGEST_NAME = 120;
const REVOKED_AFTER_MS = 60_000;
// Control characters, what file systems take as something else, and what turns the direction of a text around.
const REFUSED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/:*?"<>|]+/gu;

/** A name of a file that its sender cannot make mean anything but a name. */
export function safeFileName(name: string | undefined, fallback = 'file'): string {
  const cleaned = (name ?? '')
    .replace(/^.*[\\/]/, '')
    .replace(REFUSED, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  if (cleaned === '') return fallback;
  const characters = [...cleaned];
  if (characters.length <= LONGEST_NAME) return cleaned;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(cleaned)?.[0] ?? '';
  return characters.slice(0, LONGEST_NAME - ending.length).join('') + ending;
}

/** Saves bytes as a file: of no type that a browser would open. */
export function download(content: BlobPart, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = safeFileName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKED_AFTER_MS);
}
