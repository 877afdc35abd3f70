import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const ROOT = new URL('../../', import.meta.url).pathname;

let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
});

afterAll(async () => {
  await Promise.all([hub.close(), agent.close()]);
});

it('verifies the card by the sample of docs/cards.md', async () => {
  const docs = readFileSync(`${ROOT}docs/cards.md`, 'utf8');
  const [, sample = ''] = /```js\n([^]*?)\n```/.exec(docs)!;
  // From the project's folder, where the sample finds the library.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', sample, 'verify.mjs', hub.url],
    { cwd: ROOT },
  );
  const { keys } = (await hub.get('/.well-known/jwks.json')).body;
  expect(stdout).toBe(`signed by ${keys[0].kid}\n`);
});
