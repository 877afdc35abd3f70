import type { Part } from '../../api/a2a';
import { bytesText } from '../time';

/** What the page can hold at ease; the hub has a limit of its own for a message. */
const MAX_FILE_BYTES = 20e6;

/** Browsers know not all of these by their endings, and some otherwise. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
  txt: 'text/plain',
};

/** Files as parts of a message. Throws when one is too large, and says so. */
export async function fileParts(files: readonly File[]): Promise<readonly Part[]> {
  const large = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (large) {
    throw new Error(
      `${large.name} has ${bytesText(large.size)}; a file sent inline has at most ${bytesText(MAX_FILE_BYTES)}.`,
    );
  }
  return Promise.all(files.map(partOfFile));
}

/** A file as a part of a message: its bytes in base64. */
export async function partOfFile(file: File): Promise<Part> {
  return { raw: await base64Of(file), ...namedAs(file) };
}

/** A file as a part that has none of its bytes: for whom it is chosen goes by the others. */
export function emptyPartOf(file: File): Part {
  return { raw: '', ...namedAs(file) };
}

function namedAs(file: File): Pick<Part, 'filename' | 'mediaType'> {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  return {
    filename: file.name,
    mediaType: TYPES[ending] ?? (file.type || 'application/octet-stream'),
  };
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      done(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => fail(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}
