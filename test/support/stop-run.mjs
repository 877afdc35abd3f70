// Jest's globalTeardown; see start-run.mjs.
import { rmSync } from 'node:fs';

export default async function stopRun() {
  const { server, folder } = globalThis.testRun ?? {};
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
