import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of package.json; the same from `src/config` (tests) and from `dist/config`. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The hub's version, of package.json. */
export const HUB_VERSION: string = (
  JSON.parse(readFileSync(`${PACKAGE_ROOT}package.json`, 'utf8')) as { version: string }
).version;
