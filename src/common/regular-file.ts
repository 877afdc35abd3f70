import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The text of a file, read again while the hub runs. Rejects as `readFile` does, and with the code `ENOTFILE` for what is no file:
 * reading a pipe would wait for somebody to write, and hold one of the few threads that read files as long.
 */
export async function regularFileText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) {
      throw Object.assign(new Error(`${path} is not a file`), { code: 'ENOTFILE' });
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
