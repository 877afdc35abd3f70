import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateDirectory } from './common/private-directory.js';

/** Writes the key for its owner alone to read, in the place of one that never counted. Throws a sentence for the operator. */
export function writeAdminKey(file: string, key: string): void {
  try {
    makePrivateDirectory(dirname(file));
    rmSync(file, { force: true });
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `the first admin key cannot be written to ${file} (${code}): set one yourself by A2A_HUB__AUTH__ADMIN_KEY, or start once in a terminal, where it is shown.`,
      { cause },
    );
  }
}
