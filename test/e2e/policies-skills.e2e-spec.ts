import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SendMessageRequest } from '@a2a-js/sdk';
import { RpcError } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const PATH = '/api/v1/policies';

let served: GrpcHub;
let hub: GrpcHub['hub'];
let books: ScriptedAgent;
/** Of the organization whose callers the policies are about. */
let acme: string;
let other: string;
let client: GrpcClient;

beforeAll(async () => {
  books = await ScriptedAgent.start({
    skills: [
      { id: 'invoices', tags: ['Finance', 'papers'] },
      { id: 'calendar', tags: ['dates'] },
    ],
    live: { askAfter: 1 },
  });
  served = await startGrpcHub();
  ({ hub } = served);
  await hub.registerAgent(books.url, { id: 'books' });
  acme = await hub.createKey({ organization: 'acme' });
  other = await hub.createKey({ organization: 'umbrella' });
  client = new GrpcClient(served.client.target, { key: acme });
});
afterAll(async () => {
  client?.close();
  await served?.close();
  await books?.close();
});
afterEach(async () => {
  const { body } = await hub.admin('GET', PATH);
  for (const { id } of body.items) await hub.admin('DELETE', `${PATH}/${id}`);
});

async function forbidTags(id: string, ...tags: string[]): Promise<void> {
  const statements = tags.map(
    (tag) =>
      `forbid(principal in Organization::"acme", action == Action::"SendMessage", resource in Tag::"${tag}");`,
  );
  const { status, text } = await hub.admin('POST', PATH, { id, text: statements.join('\n') });
  expect([status, text]).toEqual([201, expect.any(String)]);
}

const messageOf = (metadata: JsonObject): JsonObject => ({
  ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] },
  metadata,
});

async function overJsonRpc(metadata: JsonObject): Promise<string> {
  const { body } = await hub.rpcRaw('SendMessage', { message: messageOf(metadata) }, { key: acme });
  return JSON.stringify(body.error ?? body.result);
}

async function overRest(path: string, metadata: JsonObject): Promise<string> {
  const { text } = await hub.request(
    'POST',
    `/a2a${path}/message:send`,
    JSON.stringify({ message: messageOf(metadata) }),
    { key: acme, headers: { 'content-type': 'application/a2a+json' } },
  );
  return text;
}

async function overGrpc(tenant: string, metadata: JsonObject): Promise<string> {
  const request = SendMessageRequest.fromJSON({ tenant, message: messageOf(metadata) });
  const { code, message } = await failureOf(client.call(V1.sendMessage, request));
  return `${code} ${message}`;
}

/** A message that names an agent and more, in each way in which an agent can be named. */
const waysToName = (more: JsonObject): ((id: string) => Promise<string>)[] => [
  (id) => overJsonRpc({ agentId: id, ...more }),
  (id) => overRest('', { agentId: id, ...more }),
  (id) => overRest(`/agents/${id}`, more),
  (id) => overGrpc('', { agentId: id, ...more }),
  (id) => overGrpc(id, more),
];

/** The agents that were asked, or why nobody was. */
async function sent(key: string, metadata: JsonObject): Promise<string> {
  try {
    const task = await hub.submit('go', { message: { metadata } }, { key });
    const { agents } = (task['metadata'] as JsonObject)['urn:a2a-hub:routing:v1'] as {
      agents: { agentId: string }[];
    };
    return agents.map(({ agentId }) => agentId).join();
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

async function skillsOf(key: string): Promise<string[]> {
  const card = (await hub.rpc('GetExtendedAgentCard', {}, { key })) as { skills: { id: string }[] };
  return card.skills.map(({ id }) => id).sort();
}

/** The operations and routes that the audit log has as refused by this policy, once they are these. */
function audited(policy: string, expected: readonly string[]): Promise<void> {
  return eventually(async () => {
    const { body } = await hub.admin('GET', '/api/v1/audit?action=auth.access&limit=200');
    const refused = (body.items as JsonObject[])
      .filter((entry) => entry['policy'] === policy)
      .map((entry) => {
        expect(entry).toMatchObject({
          outcome: 'refused',
          details: { reason: 'NO_ROUTE', cause: 'policy' },
        });
        return (entry['details'] as { route: string }).route;
      });
    expect([...new Set(refused)].sort()).toEqual([...expected].sort());
  });
}

const EVERY_WAY = [
  'POST /a2a',
  'POST /a2a/agents/:agentId/message:send',
  'POST /a2a/message:send',
  '/lf.a2a.v1.A2AService/SendMessage',
];

describe('a policy that forbids all skills of an agent', () => {
  it('hides it like one that is not there, however it is named', async () => {
    await forbidTags('no-skill', 'finance', 'dates');
    const asked = [
      {},
      { skillTags: ['finance'] },
      { 'urn:a2a-hub:routing:v1': { tags: ['dates', 'finance'], match: 'any' } },
      { skillId: 'calendar' },
    ];
    for (const request of asked.flatMap(waysToName)) {
      const hidden = await request('books');
      expect(hidden).toContain('No agent');
      const unknown = await request('unknown');
      expect(hidden.replaceAll('books', 'X')).toBe(unknown.replaceAll('unknown', 'X'));
    }
    expect(await skillsOf(acme)).toEqual(['scripted.scripted']);
    expect(await sent(other, { agentId: 'books' })).toBe('books');
    await audited('no-skill', EVERY_WAY);
  });

  it('keeps it from composite skills and from taking over, too', async () => {
    const steps = [
      { name: 'one', agentId: 'scripted' },
      { name: 'two', agentId: 'books' },
    ];
    const composite = { id: 'both', name: 'Both', description: 'Both', steps };
    expect((await hub.admin('POST', '/api/v1/composite-skills', composite)).status).toBe(201);
    await forbidTags('no-skill', 'finance', 'dates');
    expect(await sent(acme, { skillId: 'composite.both' })).toContain('No agent offers');
    expect(await skillsOf(acme)).not.toContain('composite.both');
    expect(await skillsOf(other)).toContain('composite.both');
    const named = {
      'urn:a2a-hub:routing:v1': {
        strategy: 'chain',
        steps: [{ agentId: 'scripted' }, { agentId: 'books' }],
      },
    };
    expect(await sent(acme, named)).toContain('No agent "books"');
    expect((await hub.admin('DELETE', '/api/v1/composite-skills/both')).status).toBe(204);
  });
});

describe('a policy that forbids some skills of an agent', () => {
  it('refuses their tags and ids beside its name, and says nothing of it', async () => {
    await forbidTags('no-finance', 'finance');
    const asked = [
      { skillTags: ['finance'] },
      { skillTags: ['Finance', 'dates'] },
      { skillId: 'invoices' },
      { skillId: 'books.invoices' },
      { skillId: 'calendar', skillTags: ['finance'] },
    ];
    for (const request of asked.flatMap(waysToName)) {
      const refused = await request('books');
      expect(refused).toMatch(/No skill carries|has no skill/);
      expect(refused).toContain('Skills you may use: books.calendar, scripted.scripted.');
    }
    // As for what no skill has.
    expect(await sent(acme, { agentId: 'books', skillTags: ['none'] })).toContain(
      'No skill carries',
    );
    await audited('no-finance', EVERY_WAY);
  });

  it('leaves its other skills, and the agent by its name alone', async () => {
    await forbidTags('no-finance', 'finance');
    expect(await sent(acme, { agentId: 'books', skillTags: ['dates'] })).toBe('books');
    expect(await sent(acme, { agentId: 'books', skillId: 'calendar' })).toBe('books');
    expect(await sent(acme, { agentId: 'books' })).toBe('books');
    expect(await sent(other, { agentId: 'books', skillTags: ['finance'] })).toBe('books');
  });

  it('stops follow-ups of tasks for them, and of the agent only when no skill is left', async () => {
    const begin = async (metadata: JsonObject): Promise<string> => {
      const task = await hub.submit('ask', { message: { metadata } }, { key: acme });
      const id = task['id'] as string;
      await hub.waitForTask(id, 'TASK_STATE_INPUT_REQUIRED', 10_000, { key: acme });
      return id;
    };
    const invoices = await begin({ agentId: 'books', skillId: 'invoices' });
    const [first, second] = [await begin({ agentId: 'books' }), await begin({ agentId: 'books' })];
    const more = (taskId: string) => hub.submit('more', { message: { taskId } }, { key: acme });
    await forbidTags('less', 'finance');
    await expect(more(invoices)).rejects.toThrow('no longer available to you');
    await more(first);
    await hub.waitForTask(first, 'TASK_STATE_COMPLETED', 10_000, { key: acme });
    await forbidTags('none', 'dates');
    await expect(more(second)).rejects.toThrow('no longer available to you');
    expect(await hub.getTask(second, { key: acme })).toMatchObject({ id: second });
    await audited('less', ['POST /a2a']);
    await audited('less,none', ['POST /a2a']);
  });
});
