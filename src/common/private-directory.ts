import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory, with those above it that are missing, for its owner alone. Throws the error of the system. One by
 * one: Node's own way (`recursive`) never ends where a directory is refused as if the one above it were missing.
 */
export function makePrivateDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      // Another process was quicker.
      if (!existsSync(each)) throw error;
    }
  }
}
