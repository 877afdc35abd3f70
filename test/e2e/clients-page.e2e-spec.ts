import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';

const file = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const program = /^```bash\n([\s\S]*?)^```/m.exec(file('docs/clients.md'))![1]!;

let hub: Hub;
let agent: RunningAgent;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hub-clients-'));
  [hub, agent] = await Promise.all([
    startHub(),
    startSdkAgent({ execute: (turn) => void turn.task().artifact('r', 'x').complete() }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker', tags: ['readability'] });
});
afterAll(async () => {
  await Promise.all([hub.close(), agent.close()]);
  rmSync(folder, { recursive: true });
});

/** What the program of docs/clients.md prints, as it stands there. */
async function run(environment: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], HUB: hub.url, ...environment };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-eu', '-c', program], {
    ...{ cwd: folder, env, timeout: 20_000 },
  });
  return stdout + stderr;
}

it('the program with curl runs as it stands, without a webhook and a tag of your own', async () => {
  expect(await run({ KEY: await hub.createKey() })).toContain('TASK_STATE_COMPLETED');
  // That is one which the agents of the demo have.
  expect(program).toContain('${TAG:-readability}');
  expect(file('examples/agents/text-statistics.mjs')).toContain("'readability'");
});

it('the program with curl says why nothing came of it', async () => {
  expect(await run({ KEY: 'hub_x_wrong' })).toContain('UNAUTHENTICATED');
  const key = await hub.createKey();
  expect(await run({ KEY: key, TAG: 'nobody-has-it' })).toContain('NO_ROUTE');
  const nowhere = run({ KEY: key, HUB: 'http://127.0.0.1:1' });
  expect(await nowhere.catch(({ stderr }: { stderr: string }) => stderr)).toMatch(/connect/i);
});
