import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Scope } from '../../src/common/scope.js';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { ScopeVisit } from '../support/browser/scope-visit.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const VISIT_MS = 240_000;
const WAIT_MS = 15_000;

/** The pages of the navigation that open with each scope. */
const PAGES: Readonly<Record<Exclude<Scope, 'admin'>, readonly string[]>> = {
  a2a: ['Routing', 'Access', 'Playground'],
  'tasks:organization': ['Overview', 'Tasks'],
  'tasks:all': ['Overview', 'Tasks'],
  push: ['Overview', 'Webhooks'],
  'push:all': ['Overview', 'Webhooks'],
  'agents:organization': ['Overview', 'Agents'],
  agents: ['Overview', 'Agents'],
  routing: ['Routing'],
  'access:organization': ['Access'],
  access: ['Overview', 'Access'],
  audit: ['Access'],
  data: ['Access'],
};
type Visited = keyof typeof PAGES;

/** Those of one line are visited side by side: a visit waits for much of its time. */
const LINES: readonly (readonly Visited[])[] = [
  ['access', 'push', 'a2a'],
  ['push:all', 'agents', 'data'],
  ['agents:organization', 'routing', 'tasks:organization'],
  ['access:organization', 'tasks:all', 'audit'],
];

let hub: Hub;
let agent: ScriptedAgent;
let asker: ScriptedAgent;
let sink: WebhookSink;

beforeAll(async () => {
  [agent, asker, sink] = await Promise.all([
    ScriptedAgent.start(),
    ScriptedAgent.start({ live: { askAfter: 1 } }),
    WebhookSink.start(),
  ]);
  sink.answer = 410;
  hub = await startHub();
  await hub.registerAgent(agent.url, { id: 'worker', organizations: ['acme'] });
  await hub.registerAgent(asker.url, { id: 'asker', organizations: ['acme'] });
  await made('POST', '/principals', { id: 'anna', organization: 'acme', displayName: 'Anna' });
  await made('POST', '/principals', { id: 'bert', organization: 'acme' });
  const key = await keyOf('anna', ['a2a', 'push', 'tasks:organization']);
  await made('POST', '/push/subscriptions', { url: sink.url('/all') }, key);
  for (const [owner, to] of [
    [key, 'worker'],
    [key, 'asker'],
    [await keyOf('bert', ['a2a']), 'worker'],
  ] as const) {
    await hub.send('hello', { tenant: to }, { key: owner });
  }
  await made('POST', '/routes/rules', {
    ...{ id: 'invoices', name: 'Invoices', conditions: { text: { pattern: 'invoice' } } },
    target: { agentId: 'worker' },
  });
  await made('POST', '/composite-skills', {
    ...{ id: 'two', name: 'Two', description: 'Two.', tags: ['both'] },
    steps: [{ name: 'begin', agentId: 'worker' }],
  });
  await made('POST', '/policies', { id: 'open', text: 'permit (principal, action, resource);' });
  await made('PUT', '/limits/of-acme', { organization: 'acme', openTasks: 3 });
  await sink.waitForCount(1, WAIT_MS);
});

afterAll(() => Promise.all([hub, agent, asker, sink].map((each) => each?.close())));

async function made(method: string, path: string, body: JsonObject, key?: string): Promise<void> {
  const answer = await hub.admin(method, `/api/v1${path}`, body, key);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
}

/** A key of a principal that has tasks and webhooks. */
async function keyOf(principal: string, scopes: readonly string[]): Promise<string> {
  const { status, body } = await hub.admin('POST', '/api/v1/keys', {
    ...{ name: scopes.join(' '), principal, scopes },
  });
  expect(status).toBe(201);
  return body.key as string;
}

describe('the console shows what one may open and do', () => {
  it.each(LINES)('%s, %s and %s', (...scopes) => Promise.all(scopes.map(visitAs)), VISIT_MS);

  it('with each of the scopes', () => {
    expect(LINES.flat().sort()).toEqual(Object.keys(PAGES).sort());
  });
});

async function visitAs(scope: Visited): Promise<void> {
  const own = await ConsoleBrowser.open(hub.url);
  try {
    const visit = new ScopeVisit(own, [scope]);
    await visit.start(await keyOf('anna', [scope]));
    const shown = own.page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await shown.first().waitFor();
    const pages = (await shown.allTextContents()).map((each) => each.trim());
    expect([scope, ...pages]).toEqual([scope, ...PAGES[scope]]);
    await visit.all();
    expect([scope, ...visit.refused]).toEqual([scope]);
    expect(visit.visited.length).toBeGreaterThanOrEqual(pages.length);
    expect(visit.pressed).toBeGreaterThan(0);
  } finally {
    await own.close();
  }
}

describe('a page that one may not open', () => {
  it.each([
    ['tasks', 'push', 'This page needs the scope tasks:organization, '],
    ['tasks/some-task', 'push', 'This page needs the scope tasks:organization, '],
    ['agents/new', 'a2a', 'This page needs the scope agents:organization, '],
    ['routing/rules', 'a2a', 'This page needs the scope routing, '],
    ['routing/dry-run', 'routing', 'This page needs the scope a2a, '],
    ['webhooks?tab=dead-letters', 'agents', 'This page needs the scope push, '],
    ['access?tab=audit', 'access', 'Audit log needs the scope audit, '],
    ['access?tab=limits', 'audit', 'Limits needs one of the scopes a2a, access, '],
    ['playground', 'push', 'This page needs the scope a2a, '],
  ])('/%s says which scope is missing to %s', async (path, scope, said) => {
    const own = await ConsoleBrowser.open(hub.url);
    try {
      const visit = new ScopeVisit(own, [scope]);
      await visit.start(await keyOf('anna', [scope]));
      const page = await own.signIn(path, await keyOf('anna', [scope]));
      await page.getByRole('status').filter({ hasText: said }).waitFor();
      expect([...visit.refused]).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
