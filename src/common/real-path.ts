import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Links that follow one another at most, as Linux has it. */
const MAX_LINKS = 40;

/**
 * Where a file is, or would be made, behind all symbolic links: also where the last of them names one that is
 * not there yet. The path itself where its folder is not there.
 */
export function realPathOf(path: string): string {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const target = targetOf(at);
    if (target === undefined) break;
    at = resolve(dirname(at), target);
  }
  try {
    return join(realpathSync(dirname(at)), basename(at));
  } catch {
    return at;
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or nothing there.
    return undefined;
  }
}
