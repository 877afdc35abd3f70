import type { Part } from '../../api/a2a';
import { bytesText } from '../time';

/** What the page can hold at ease; the hub has a limit of its own for a message. */
const MAX_FILE_BYTES = 20e6;

/** Files as parts of a message, with their bytes in base64. */
export async function fileParts(files: readonly File[]): Promise<readonly Part[]> {
  const large = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (large) {
    throw new Error(
      `${large.name} has ${bytesText(large.size)}; a file sent inline has at most ${bytesText(MAX_FILE_BYTES)}.`,
    );
  }
  return Promise.all(
    files.map(async (file) => ({
      raw: await base64Of(file),
      filename: file.name,
      mediaType: file.type || 'application/octet-stream',
    })),
  );
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
