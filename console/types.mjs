// The types of the admin API, from docs/openapi.json: src/api/schema.ts, made anew when it is older than that.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);
const TYPES = new URL('src/api/schema.ts', import.meta.url);

export async function ensureTypes() {
  if (existsSync(TYPES) && statSync(TYPES).mtimeMs > statSync(DOCUMENT).mtimeMs) return;
  const { astToString, default: typesOf } = await import('openapi-typescript');
  const ast = await typesOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')), { alphabetize: true });
  writeFileSync(
    TYPES,
    `/* Made from docs/openapi.json by console/types.mjs. */\n${astToString(ast)}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureTypes();
  console.log(fileURLToPath(TYPES));
}
