import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { request } from 'undici';
import { AgentStore } from '../../src/agents/registry/agent-store.js';
import { Database } from '../../src/database/database.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { OwnedKinds } from '../../src/data/index.js';
import { Table } from '../../src/database/table.js';
import type { Scope } from '../../src/common/scope.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { isEnd } from '../support/notified-tasks.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { secretOf } from '../support/secret-of.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** Tables with nothing of a tenant, each with the reason. */
const OF_NOBODY: Readonly<Record<string, string>> = {
  hub_settings: 'of the installation',
  log_levels: 'of the installation',
  workers: 'processes',
  agent_conditions: 'of the agents, removed with them by the processes that wrote it',
  signing_keys: 'of the hub',
  audit_events: 'kept: ids and names, no contents',
  audit_anchors: 'signatures over the audit log',
  audit_exports: 'of the configuration',
  audit_export_places: 'of the configuration',
  principal_revisions: 'a number',
  limit_revisions: 'a number',
  request_rates: 'digests, of the last hours',
  sign_in_blocks: 'keyed digests',
  policy_revisions: 'a number',
  agent_revisions: 'a number',
  routing_rules: 'of the operator',
  routing_rule_versions: 'of the operator',
  routing_rule_revisions: 'a number',
  composite_skills: 'of the operator',
  composite_skill_versions: 'of the operator',
  composite_skill_revisions: 'a number',
  agent_callbacks: 'ids of delegations, for an hour',
  push_auth_revisions: 'a number',
  push_event_counter: 'a number',
  push_webhook_revisions: 'a number',
  data_jobs: 'the jobs themselves: ids',
};

interface Tenant {
  readonly key: string;
  readonly principalId: string;
  readonly organization: string;
}

let hub: Hub;
let agent: ScriptedAgent;
let number = 0;

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub(),
    ScriptedAgent.start({
      handlers: {
        SendStreamingMessage: (call) => {
          const task = { id: `d-${call.text}`, contextId: 'c' };
          if (call.text.includes('hang')) {
            call.event({ task: { ...task, status: { state: 'TASK_STATE_WORKING' } } });
            return;
          }
          const artifacts = [{ artifactId: 'a', parts: [{ text: `answer to ${call.text}` }] }];
          const status = { state: 'TASK_STATE_COMPLETED' };
          call.event({ task: { ...task, status, artifacts } }).end();
        },
        SubscribeToTask: (call) => call.error(-32004, 'no'),
        GetTask: (call) =>
          call.result({
            ...{ id: call.params['id'], contextId: 'c' },
            status: { state: 'TASK_STATE_WORKING' },
          }),
        CancelTask: (call) => call.error(-32002, 'it cannot be canceled'),
      },
    }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker', budgets: { cancelWaitMs: 200 } });
});
afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

async function tenant(organization = `org-${(number += 1)}`): Promise<Tenant> {
  const scopes: Scope[] = ['a2a', 'push', 'tasks:organization'];
  const made = await hub.admin('POST', '/api/v1/keys', { name: 'n', scopes, organization });
  expect(made.status).toBe(201);
  return made.body;
}

async function send(
  { key }: Tenant,
  text: string,
  isWaiting = true,
  webhook?: string,
): Promise<Json> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
  const answer = await hub.rpcRaw(
    'SendMessage',
    {
      message: { ...message, metadata: { agentId: 'worker' } },
      configuration: {
        returnImmediately: !isWaiting,
        ...(webhook !== undefined && { taskPushNotificationConfig: { url: webhook } }),
      },
    },
    { key },
  );
  return answer.body.result.task;
}

/** A key of an operator of another organization. */
const operator = (scopes: Scope[]): Promise<string> =>
  hub.createKey({ organization: 'operators', scopes });

const post = (path: string, body: object, key?: string) =>
  hub.admin('POST', `/api/v1/data/${path}`, body, key);

async function deleted(body: object): Promise<Json> {
  const made = await post('deletions', body);
  expect([made.status, made.body.state]).toEqual([202, 'waiting']);
  return eventually(async () => {
    const { body: job } = await hub.admin('GET', `/api/v1/data/deletions/${made.body.id}`);
    expect(['done', 'failed']).toContain(job.state);
    return job;
  }, 30_000);
}

async function exported(body: object): Promise<{ id: string; lines: Json[]; text: string }> {
  const made = await post('exports', body);
  expect(made.status).toBe(202);
  const text = await contentOf(made.body.id as string);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { id: made.body.id as string, lines, text };
}

async function contentOf(id: string): Promise<string> {
  const { statusCode, body } = await request(`${hub.url}/api/v1/data/exports/${id}/content`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  expect(statusCode).toBe(200);
  return body.text();
}

/** Every table but those that are kept, with how many rows hold the text. */
async function rowsWith(text: string): Promise<string[]> {
  const database = hub.app.get(Database);
  const found: string[] = [];
  for (const entity of HUB_SCHEMA.entities) {
    const { name } = new Table(entity);
    // An organization stays, disabled, so that nobody comes back.
    if (['audit_events', 'data_jobs', 'organizations'].includes(name)) continue;
    const rows = await database.read<Record<string, unknown>>(`SELECT * FROM ${name}`);
    if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(name);
  }
  return found;
}

async function receiptOf(job: Json): Promise<Json> {
  const keys = await (await request(`${hub.url}/.well-known/jwks.json`)).body.json();
  const { payload, protectedHeader } = await compactVerify(
    job['receipt'] as string,
    createLocalJWKSet(keys as never),
  );
  expect(protectedHeader.typ).toBe('a2a-hub-data-receipt');
  return JSON.parse(Buffer.from(payload).toString());
}

it('knows of every table whose it is', () => {
  const covered = hub.app.get(OwnedKinds).all.flatMap(({ tables }) => tables);
  const names = HUB_SCHEMA.entities.map((entity) => new Table(entity).name);
  expect(names.filter((name) => covered.includes(name) && name in OF_NOBODY)).toEqual([]);
  expect(names.filter((name) => !covered.includes(name) && !(name in OF_NOBODY))).toEqual([]);
});

describe('an organization', () => {
  const api = (method: string, path: string, body?: object) =>
    hub.admin(method, `/api/v1/${path}`, body);

  it('is not deleted while it has what the next one of its name would get', async () => {
    const { organization, principalId } = await tenant();
    await hub.registerAgent(agent.url, { id: 'private', organizations: [organization] });
    const profile = { name: 'p', scheme: 'hmac', urls: ['https://8.8.8.8/'], automatic: true };
    const { id } = (await api('POST', 'push/auth-profiles', { organization, ...profile })).body;
    await api('PUT', 'limits/theirs', { organization, openTasks: 5 });
    await api('PUT', 'limits/its', { principal: principalId, tasksPerDay: 5 });
    await api('POST', `principals/${principalId}:disable`);
    const kept = await api('DELETE', `principals/${principalId}`);
    expect([kept.status, kept.body.detail]).toEqual([
      409,
      `The principal ${principalId} still has limits: delete them first, or all of its data (POST /api/v1/data/deletions).`,
    ]);
    await api('DELETE', 'limits/its');
    expect((await api('DELETE', `principals/${principalId}`)).status).toBe(204);
    const remove = () => api('DELETE', `organizations/${organization}`);
    const refused = await remove();
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringMatching(
        /still has (?=.*\bagents)(?=.*limits)(?=.*auth profiles).*: delete them/,
      ),
    ]);
    for (const path of ['agents/private', 'limits/theirs', `push/auth-profiles/${id}`]) {
      expect((await remove()).status).toBe(409);
      expect([path, (await api('DELETE', path)).status]).toEqual([path, 204]);
    }
    expect((await remove()).status).toBe(204);
    // The agent is kept for its work, for no organization.
    expect(await rowsWith(organization)).toEqual([]);
  }, 60_000);

  it('leaves no records of it, nor its principal', async () => {
    const sink = await WebhookSink.start();
    try {
      const acme = await tenant();
      const { organization, principalId } = acme;
      await api('PUT', 'limits/counted', { organization, tasksPerDay: 5, storedBytes: 1e9 });
      const { id } = await send(acme, 'counted', true, sink.url());
      await sink.waitForCount(1);
      const left = async (path: string) => {
        const { status, body } = await api('DELETE', path);
        return [status, body?.detail];
      };
      await eventually(async () => expect(await left(`tasks/${id}`)).toEqual([204, undefined]));
      await hub.app
        .get(Database)
        .write((tx) =>
          tx.run(
            `INSERT INTO idempotency_keys (principal_id, key, task_id, fingerprint) VALUES (?, 'k', 't', 'f')`,
            [principalId],
          ),
        );
      await api('DELETE', 'limits/counted');
      await api('POST', `principals/${principalId}:disable`);
      await eventually(async () =>
        expect(await left(`principals/${principalId}`)).toEqual([204, undefined]),
      );
      // It counts for the organization.
      expect(await rowsWith(principalId)).toEqual(['task_usage']);
      expect(await rowsWith(organization)).toEqual(
        expect.arrayContaining(['task_usage', 'limit_counters', 'push_endpoints']),
      );
      expect(await left(`organizations/${organization}`)).toEqual([204, undefined]);
      expect([await rowsWith(organization), await rowsWith(principalId)]).toEqual([[], []]);
    } finally {
      await sink.close();
    }
  }, 60_000);
});

describe('a deletion', () => {
  it('leaves nothing of the organization, and the neighbour as it was', async () => {
    const [acme, other] = [await tenant(), await tenant()];
    for (const each of [acme, other]) {
      await send(each, `first of ${each.organization}`);
      await send(each, `second of ${each.organization}`);
    }
    const policy = {
      organization: acme.organization,
      text: 'permit (principal, action, resource);',
    };
    expect((await hub.admin('POST', '/api/v1/policies', { id: 'theirs', ...policy })).status).toBe(
      201,
    );
    await hub.registerAgent(agent.url, { id: 'their-agent', organizations: [acme.organization] });
    await hub.app.get(AgentStore).update('their-agent', (stored) => ({
      ...stored,
      card: { ...stored.card, description: `For ${acme.organization} alone` },
      originalCard: '{"changed": true}',
    }));
    await hub.app.get(AgentStore).update('their-agent', (stored) => ({
      ...stored,
      card: { ...stored.card, description: 'For some' },
      originalCard: '{"changed": "again"}',
    }));
    const before = await eventually(async () => {
      const all = await exported({ organization: other.organization });
      // Counts of what was begun and ended are written a second later, in two spans.
      const counts = all.lines.filter(({ kind }) => kind === 'activity');
      expect(counts.reduce((sum, { record }) => sum + (record.count as number), 0)).toBe(8);
      return all;
    });
    expect(await rowsWith(acme.organization)).toEqual(
      expect.arrayContaining([
        'tasks',
        'task_events',
        'principals',
        'policies',
        'agents',
        'previous_cards',
      ]),
    );

    const job = await deleted({ organization: acme.organization, confirm: acme.organization });
    expect(job).toMatchObject({
      ...{ state: 'done', organization: acme.organization, error: null, requestedBy: 'admin' },
      progress: { tasks: { counted: 2, done: 2 }, keys: { counted: 1, done: 1 } },
    });
    expect(await rowsWith(acme.organization)).toEqual([]);
    expect(await rowsWith(acme.principalId)).toEqual([]);
    expect(await receiptOf(job)).toMatchObject({
      ...{ job: job['id'], kind: 'deletion', organization: acme.organization, left: 0 },
      counts: { tasks: 2, keys: 1, principals: 1, policies: 1, agents: 1, previousCards: 1 },
      kept: expect.arrayContaining([expect.objectContaining({ what: 'entries of the audit log' })]),
    });
    const after = await exported({ organization: other.organization });
    // When a key was used last is written beside the calls.
    const records = ({ lines }: typeof after) =>
      lines
        .filter(({ kind }) => kind !== 'end')
        .map((line) => JSON.stringify(line).replace(/"lastUsedAt":[^,]+/, ''));
    expect(records(after)).toEqual(records(before));
    const refused = await hub.rpcRaw('ListTasks', {}, { key: acme.key });
    expect(refused.status).toBe(401);
  }, 60_000);

  it.each(['organization', 'principal'] as const)(
    'counts the webhooks of the tasks of the %s, and what they have delivered, once',
    async (of) => {
      const sink = await WebhookSink.start();
      try {
        const acme = await tenant();
        const { id } = await send(acme, `told of the ${of}`, true, sink.url());
        const deliveries = await eventually(async () => {
          const { body } = await hub.admin('GET', `/api/v1/push/deliveries?taskId=${id}`);
          const states = (body.items as Json[]).map(({ state }) => state);
          expect(sink.received.some(isEnd(String(id)))).toBe(true);
          // The last one is noted after it was received.
          expect(states).toEqual(sink.received.map(() => 'delivered'));
          return states.length;
        });
        const owner = of === 'organization' ? acme.organization : acme.principalId;
        const job = await deleted({ [of]: owner, confirm: owner });
        const counts = {
          ...{ tasks: 1, webhooks: 1, deliveryStreams: 1 },
          ...{ deliveries, deliveryAttempts: deliveries },
        };
        const progress = Object.entries(counts).map(([kind, n]) => [kind, { counted: n, done: n }]);
        expect(job).toMatchObject({ state: 'done', progress: Object.fromEntries(progress) });
        expect(await receiptOf(job)).toMatchObject({ counts });
        expect(await rowsWith(acme.principalId)).toEqual([]);
      } finally {
        await sink.close();
      }
    },
    60_000,
  );

  it('counts a webhook on the task of a colleague once for their organization, and takes it with who has set it', async () => {
    const one = await tenant();
    const [two, three] = [await tenant(one.organization), await tenant(one.organization)];
    const { id } = await send(one, 'told to colleagues');
    for (const { key } of [two, three]) {
      const config = { taskId: id, id: key.slice(-6), url: 'https://8.8.8.8/hook' };
      const made = await hub.rpcRaw('CreateTaskPushNotificationConfig', config, { key });
      expect([made.status, made.body.error]).toEqual([200, undefined]);
    }
    const ofTwo = await deleted({ principal: two.principalId, confirm: two.principalId });
    expect(ofTwo).toMatchObject({
      state: 'done',
      progress: { webhooksOnTasksOfOthers: { counted: 1, done: 1 } },
    });
    const { lines } = await exported({ organization: one.organization });
    const webhooks = lines.filter(({ kind }) => String(kind).startsWith('webhooks'));
    expect(webhooks.map(({ kind }) => kind)).toEqual(['webhooks']);
    const ofAll = await deleted({ organization: one.organization, confirm: one.organization });
    expect(ofAll).toMatchObject({ state: 'done', progress: { webhooks: { counted: 1, done: 1 } } });
    expect(await receiptOf(ofAll)).toMatchObject({ counts: { webhooksOnTasksOfOthers: 0 } });
    for (const { principalId } of [one, two, three]) {
      expect(await rowsWith(principalId)).toEqual([]);
    }
  }, 60_000);

  it('takes one principal and leaves the others of its organization', async () => {
    const one = await tenant();
    const two = await tenant(one.organization);
    await send(one, 'of one');
    const kept = await send(two, 'of two');
    const job = await deleted({ principal: one.principalId, confirm: one.principalId });
    expect(job['state']).toBe('done');
    expect(await rowsWith(one.principalId)).toEqual([]);
    const got = await hub.rpcRaw('GetTask', { id: kept['id'] }, { key: two.key });
    expect(got.body.result.id).toBe(kept['id']);
  }, 60_000);

  it('ends what an agent does not end', async () => {
    const acme = await tenant();
    const task = await send(acme, 'hang', false);
    await hub.waitForTask(String(task['id']), 'TASK_STATE_WORKING').catch(() => undefined);
    const job = await deleted({ organization: acme.organization, confirm: acme.organization });
    expect([job['state'], job['error']]).toEqual(['done', null]);
    expect(await rowsWith(String(task['id']))).toEqual([]);
  }, 60_000);

  it('is one at a time for an owner, and stops when it is canceled', async () => {
    const acme = await tenant();
    await send(acme, 'hang', false);
    const { organization } = acme;
    const first = await post('deletions', { organization, confirm: organization });
    const second = await post('deletions', { organization, confirm: organization });
    expect([first.status, second.status]).toEqual([202, 409]);
    const path = `/api/v1/data/deletions/${first.body.id}`;
    const isShutOut = async () =>
      expect((await hub.rpcRaw('ListTasks', {}, { key: acme.key })).status).toBe(401);
    // One that is canceled before it has begun has changed nothing.
    await eventually(isShutOut);
    expect((await hub.admin('POST', `${path}:cancel`)).body.state).toBe('canceled');
    expect((await hub.admin('POST', `${path}:cancel`)).status).toBe(409);
    await isShutOut();
    const job = await deleted({ organization, confirm: organization });
    expect(job['state']).toBe('done');
    expect((await hub.admin('GET', path)).body.state).toBe('canceled');
  }, 60_000);

  it('is finished by whoever finds it, in whatever moment its process was killed', async () => {
    const acme = await tenant();
    await send(acme, 'left by a process');
    const id = '00000000-0000-7000-8000-000000000001';
    await hub.app.get(Database).write((tx) =>
      tx.run(
        `INSERT INTO data_jobs (id, kind, owner, mapping_only, blocks, state, requested_by, progress,
           runner, lease_until, created_at, started_at)
         VALUES (?, 'deletion', ?, 0, 1, 'running', 'admin', '{"tasks":{"counted":1,"done":0}}', 'dead', 5, 1, 2)`,
        [id, `organization ${acme.organization}`],
      ),
    );
    await eventually(async () => {
      const { body } = await hub.admin('GET', `/api/v1/data/deletions/${id}`);
      expect(body).toMatchObject({ state: 'done', progress: { tasks: { counted: 1, done: 1 } } });
    }, 30_000);
    expect(await rowsWith(acme.organization)).toEqual([]);
  }, 60_000);

  it('takes what an organization still owns whose own row is gone, and is refused after that', async () => {
    const { organization } = await tenant();
    const asked = { organization, confirm: organization };
    await deleted({ ...asked, block: false });
    await hub.app.get(Database).write(function* (tx) {
      yield* tx.run('DELETE FROM organizations WHERE id = ?', [organization]);
      yield* tx.run(
        `INSERT INTO push_events (id, at, type, organization, endpoint)
         VALUES (1000000, 1, 'endpoint.recovered', ?, 'https://gone.example:443')`,
        [organization],
      );
    });
    expect(await deleted({ ...asked, block: false })).toMatchObject({
      ...{ state: 'done', progress: { webhookEvents: { counted: 1, done: 1 } } },
    });
    expect((await post('deletions', asked)).status).toBe(404);
  }, 60_000);

  it('keeps the tasks where only the mapping is asked for', async () => {
    const acme = await tenant();
    const task = await send(acme, 'mapped');
    const job = await deleted({
      ...{ principal: acme.principalId, confirm: acme.principalId },
      only: 'mapping',
    });
    expect(job).toMatchObject({ state: 'done', mappingOnly: true });
    expect(await rowsWith(acme.principalId)).toContain('tasks');
    expect(await rowsWith(acme.principalId)).not.toContain('api_keys');
    expect((await hub.admin('GET', `/api/v1/tasks/${task['id']}/content`)).status).toBe(200);
    const again = { name: 'n', principal: acme.principalId };
    expect((await hub.admin('POST', '/api/v1/keys', again)).status).toBe(409);
  }, 60_000);

  it('of the mapping of an organization leaves its tasks and its row, and lets in others once it is enabled', async () => {
    const acme = await tenant();
    const { organization } = acme;
    await send(acme, 'mapped');
    const job = await deleted({ organization, confirm: organization, only: 'mapping' });
    expect(job).toMatchObject({ state: 'done', mappingOnly: true, organization });
    expect(await rowsWith(acme.principalId)).toContain('tasks');
    expect(await rowsWith(acme.principalId)).not.toContain('api_keys');
    const made = () => hub.admin('POST', '/api/v1/keys', { name: 'n', organization });
    expect((await made()).status).toBe(409);
    const enabled = await hub.admin('POST', `/api/v1/organizations/${organization}:enable`);
    expect(enabled.body).toMatchObject({ id: organization, state: 'enabled' });
    expect((await made()).status).toBe(201);
    const before = await hub.admin('GET', `/api/v1/principals/${acme.principalId}`);
    expect(before.body).toMatchObject({ state: 'disabled', organizationDisabledAt: null });
  }, 60_000);

  it('is refused with a wrong name, for unknown principals, for the hub’s own and for the caller', async () => {
    const acme = await tenant();
    const status = async (body: object, key?: string): Promise<number> =>
      (await post('deletions', body, key)).status;
    const { organization, principalId: principal } = acme;
    expect(await status({ organization, confirm: 'other' })).toBe(400);
    expect(await status({ organization })).toBe(400);
    expect(await status({ organization, principal, confirm: organization })).toBe(400);
    expect(await status({ confirm: organization })).toBe(400);
    expect(await status({ principal: 'nobody', confirm: 'nobody' })).toBe(404);
    const missing = await post('deletions', { organization: 'nix', confirm: 'nix' });
    expect([missing.status, missing.body.detail]).toEqual([404, 'There is no organization nix.']);
    expect((await post('exports', { organization: 'nix' })).status).toBe(404);
    expect(await status({ principal: 'admin', confirm: 'admin' })).toBe(409);
    expect(await status({ organization: 'default', confirm: 'default' })).toBe(409);
    const own = await operator(['data']);
    expect(await status({ organization: 'operators', confirm: 'operators' }, own)).toBe(409);
    expect(await rowsWith(organization)).toContain('principals');
  });

  it.each<[Scope[], number]>([
    [['access'], 403],
    [['audit'], 403],
    [['tasks:all', 'push:all', 'agents', 'routing'], 403],
    [['data'], 202],
  ])('with the scopes %j: %i', async (scopes, status) => {
    const { organization } = await tenant();
    const key = await operator(scopes);
    expect((await post('deletions', { organization, confirm: organization }, key)).status).toBe(
      status,
    );
    expect((await post('exports', { organization }, key)).status).toBe(status);
  });

  it('cannot be granted by whoever administers access', async () => {
    const key = await operator(['access']);
    const body = { name: 'n', scopes: ['data'], organization: 'operators' };
    expect((await hub.admin('POST', '/api/v1/keys', body, key)).status).toBe(403);
  });
});

describe('an export', () => {
  it('has every task whole, no secret, and a digest that its receipt signs', async () => {
    const acme = await tenant();
    const { id } = await send(acme, 'exported');
    const { id: job, lines, text } = await exported({ organization: acme.organization });
    const tasks = lines.filter(({ kind }) => kind === 'tasks');
    expect(tasks).toMatchObject([
      { record: { id, task: { artifacts: [{ parts: [{ text: 'answer to exported' }] }] } } },
    ]);
    expect(text).not.toContain(secretOf(acme.key));
    const end = lines.at(-1)!;
    const before = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    const digest = createHash('sha256').update(before).digest('hex');
    expect([end['kind'], end['sha256']]).toEqual(['end', digest]);
    const { body } = await hub.admin('GET', `/api/v1/data/exports/${job}`);
    expect(body).toMatchObject({ state: 'done', progress: { tasks: { counted: 1, done: 1 } } });
    expect(await receiptOf(body)).toMatchObject({ sha256: digest, counts: { tasks: 1 } });
    expect((await contentOf(job)).length).toBeGreaterThan(0);
  });

  it('is not read by HEAD', async () => {
    const acme = await tenant();
    const { id } = (await post('exports', { organization: acme.organization })).body;
    const { statusCode, headers, body } = await request(
      `${hub.url}/api/v1/data/exports/${id}/content`,
      { method: 'HEAD', headers: { authorization: `Bearer ${ADMIN_KEY}` } },
    );
    expect([statusCode, headers['content-type'], await body.text()]).toEqual([
      ...[200, 'application/x-ndjson', ''],
    ]);
    expect((await hub.admin('GET', `/api/v1/data/exports/${id}`)).body.state).toBe('waiting');
    const unknown = `${hub.url}/api/v1/data/exports/no-such/content`;
    expect(
      (
        await request(unknown, {
          method: 'HEAD',
          headers: { authorization: `Bearer ${ADMIN_KEY}` },
        })
      ).statusCode,
    ).toBe(404);
  });

  it('is not whole for a reader that leaves, and may be read again; not when it is canceled', async () => {
    const acme = await tenant();
    await send(acme, 'again');
    const read = (await post('exports', { organization: acme.organization })).body.id as string;
    const leaving = await request(`${hub.url}/api/v1/data/exports/${read}/content`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    leaving.body.on('error', () => undefined).destroy();
    expect(await contentOf(read)).toContain('"kind":"end"');
    const { body } = await post('exports', { organization: acme.organization });
    expect((await hub.admin('POST', `/api/v1/data/exports/${body.id}:cancel`)).body.state).toBe(
      'canceled',
    );
    expect((await hub.admin('GET', `/api/v1/data/exports/${body.id}/content`)).status).toBe(409);
    expect((await hub.admin('POST', `/api/v1/data/exports/${body.id}:cancel`)).status).toBe(409);
  });
});
