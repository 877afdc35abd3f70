// Builds the console into ../dist/console-pages: each file with its brotli beside it. Fails when the first load is too large.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { ensureTypes } from './types.mjs';

const OUT = fileURLToPath(new URL('../dist/console-pages/', import.meta.url));
/** What a browser without any cache loads before it shows the first page, in bytes of brotli. */
const MAX_FIRST_LOAD = 250_000;
const MAX_ALL = 1_500_000;
const COMPRESSED = /\.(js|css|html|svg|json)$/;

export async function buildConsole() {
  await ensureTypes();
  const { build } = await import('vite');
  await build({
    configFile: fileURLToPath(new URL('vite.config.mjs', import.meta.url)),
    logLevel: 'warn',
  });
  const sizes = new Map();
  for (const name of readdirSync(OUT, { recursive: true })) {
    if (!COMPRESSED.test(name)) continue;
    const content = readFileSync(join(OUT, name));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const compressed = brotliCompressSync(content, { params });
    writeFileSync(join(OUT, `${name}.br`), compressed);
    sizes.set(name, compressed.length);
  }
  const first = firstLoad(sizes);
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (first > MAX_FIRST_LOAD || all > MAX_ALL) {
    throw new Error(
      `The console is too large: its first load has ${first} bytes of brotli (at most ${MAX_FIRST_LOAD}), all of it ${all} (at most ${MAX_ALL}). Load what few pages need with their pages (\`lazy\`).`,
    );
  }
  return { first, all };
}

/** The page, what it names, and what these import before they run. */
function firstLoad(sizes) {
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name) || !sizes.has(name)) return;
    seen.add(name);
    const text = readFileSync(join(OUT, name), 'utf8');
    const named = name.endsWith('.html')
      ? [...text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) => file)
      : [...text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(
          ([, file]) => `assets/${file}`,
        );
    named.forEach(visit);
  };
  visit('index.html');
  return [...seen].reduce((sum, name) => sum + sizes.get(name), 0);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { first, all } = await buildConsole();
  console.log(`console: first load ${kB(first)}, all ${kB(all)} of brotli`);
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
