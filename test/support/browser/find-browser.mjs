// The browser of the browser tests: the one that CHROMIUM names, else the one that the package @sparticuz/chromium carries,
// unpacked once into node_modules/.cache, with the libraries that it brings for machines that lack them.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/chromium/', import.meta.url));
// What comes with the package names folders below /tmp alone; without any font a page crashes.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${CACHE}fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${CACHE}fonts-cache</cachedir>
</fontconfig>
`;
const UNPACK = `
  const { default: chromium } = await import('@sparticuz/chromium');
  console.log(await chromium.executablePath());
`;

/** Where the browser is and what it needs in its environment. Throws an error that names what is missing. */
export async function findBrowser() {
  if (process.env.CHROMIUM) return startable(process.env.CHROMIUM, [{}]);
  const executable = join(CACHE, 'chromium');
  if (!existsSync(executable)) await unpack();
  const fonts = { FONTCONFIG_FILE: join(CACHE, 'fonts.conf') };
  writeFileSync(fonts.FONTCONFIG_FILE, FONTS);
  return startable(executable, [fonts, { ...fonts, LD_LIBRARY_PATH: join(CACHE, 'al2023/lib') }]);
}

async function unpack() {
  mkdirSync(CACHE, { recursive: true });
  await run(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    // It unpacks into the temporary folder; the libraries only where it believes to be at this place.
    env: { ...process.env, TMPDIR: CACHE, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
}

/** The first of these environments in which it starts. */
async function startable(executablePath, environments) {
  let why;
  for (const env of environments) {
    try {
      await run(executablePath, ['--version'], { env: { ...process.env, ...env } });
      return { executablePath, env };
    } catch (error) {
      why = error.stderr || error.message;
    }
  }
  throw new Error(
    `Chromium does not start (${executablePath}): ${why.trim()}\nInstall a Chromium (Debian: apt-get install chromium) and name it by CHROMIUM=/usr/bin/chromium.`,
  );
}
