import type { Part } from '../../api/a2a';

/** What the hub takes in one request unless its settings say otherwise (`server.bodyLimit`). */
export const USUAL_LIMIT_BYTES = 10 * 1024 * 1024;
const BASE64_GROWTH = 4 / 3;

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
  txt: 'text/plain',
};

/** How many bytes files have in a request. */
export function sentBytes(files: readonly File[]): number {
  return Math.ceil(files.reduce((sum, { size }) => sum + size, 0) * BASE64_GROWTH);
}

/** A file as a part of a message: its bytes in base64. */
export async function partOfFile(file: File): Promise<Part> {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  return {
    raw: await base64Of(file),
    filename: file.name,
    mediaType: TYPES[ending] ?? (file.type || 'application/octet-stream'),
  };
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      done(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => failed(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
