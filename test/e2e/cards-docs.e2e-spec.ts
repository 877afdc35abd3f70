import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { ScriptedAgent } from '../support/agents.js';
import { startHub } from '../support/app.js';

const ROOT = new URL('../../', import.meta.url).pathname;

it('verifies the card by the sample of docs/cards.md', async () => {
  const [, sample = ''] = /```js\n([^]*?)\n```/.exec(readFileSync(`${ROOT}docs/cards.md`, 'utf8'))!;
  const hub = await startHub();
  const agent = await ScriptedAgent.start();
  await hub.registerAgent(agent.url, { id: 'scripted' });
  // From the project's folder, where the sample finds the library.
  const run = promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', sample, hub.url],
    { cwd: ROOT },
  );
  const { keys } = (await hub.get('/.well-known/jwks.json')).body;
  expect((await run).stdout).toBe(`signed by ${keys[0].kid}\n`);
  await hub.close();
  await agent.close();
});
