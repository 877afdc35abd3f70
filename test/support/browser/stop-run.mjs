// Jest's globalTeardown; see start-run.mjs.
import stopTests from '../stop-run.mjs';

export default async function stopRun() {
  await globalThis.browserServer?.close();
  await stopTests();
}
