import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { createDataSource, sqlitePath } from '../../src/database/data-source.js';
import { openDatabase } from '../../src/database/open-database.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { type DatabaseSource, startPostgres, startSqlite } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import type { HttpAnswer } from '../support/hub-client.js';
import type { JsonObject } from '../support/json.js';
import { keyNamed } from '../support/secret-box.js';
import { visitEverything } from '../support/visit-everything.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';
import { HUB_PROGRAM } from '../support/hub-process.js';

const [K1, K2, K3] = ['k1', 'k2', 'k3'].map(keyNamed);
const BASIC = Buffer.from('user:basic-s3cr3t').toString('base64');
const HMAC = `whsec_${Buffer.from('hmac-s3cr3t-of-32-bytes-or-more!').toString('base64')}`;

/** Everything the hub is told that nobody may learn from it, in the forms it has on the way. */
const SECRETS = [
  'agent-s3cr3t',
  'card-s3cr3t',
  'bearer-s3cr3t',
  'token-s3cr3t',
  'basic-s3cr3t',
  BASIC,
  'apikey-s3cr3t',
  'hmac-s3cr3t',
  HMAC,
  'legacy-s3cr3t',
  'fasta-s3cr3t',
  'inline-s3cr3t',
  'refused-s3cr3t',
  'rest-s3cr3t',
  'admin-s3cr3t',
  'admin-token-s3cr3t',
  'profile-s3cr3t',
  ...[K1!, K2!, K3!].map(({ key }) => key),
];
/** Those of the secrets that are in a text or in bytes. */
function leaked(told: string | Buffer): string[] {
  return SECRETS.filter((secret) => told.includes(secret));
}

/** What is no secret: without it nothing would have been looked at. */
const KNOWN = 'hello-to-everybody';

describe.each([
  ['SQLite', startSqlite],
  ['PostgreSQL', startPostgres],
] as const)('the secrets of a hub on %s', (name, startDatabase) => {
  let source: DatabaseSource;
  let sink: WebhookSink;
  let agent: RunningAgent;
  let url: string;
  let hub: HubProcess | undefined;
  let taskId: string;
  /** The API key of the client, through all restarts. */
  let key: string;
  /** All that every hub has answered and logged. */
  let told = '';

  beforeAll(async () => {
    [source, sink, agent] = await Promise.all([
      Promise.resolve(startDatabase()),
      WebhookSink.start(),
      startSdkAgent({ name: 'worker' }),
    ]);
    url = await source.migratedUrl();
    // Tells in its answers, which are recorded, what it was sent.
    const telling = (status: number) => (request: ReceivedWebhook) => ({
      status,
      body: JSON.stringify(request.headers),
    });
    sink.script.push(telling(500));
    sink.answer = telling(200);
    await restart([K1!]);
    await useEverything();
  });
  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent, sink].map((one) => one.close()));
    await source.stop();
  });

  /** Stops the hub and starts it with these keys, the first to seal. */
  async function restart(keys: readonly { id: string; key: string }[]): Promise<void> {
    await stop();
    hub = await startHubProcess({
      databaseUrl: url,
      environment: {
        A2A_HUB__SECRETS__KEYS: keys.map(({ id, key }) => `${id}:${key}`).join(),
        A2A_HUB__LOG__LEVEL: 'trace',
        // Nothing that runs then is waited for by any test.
        A2A_HUB__SERVER__DRAIN: '1s',
        A2A_HUB__PUSH__SCHEDULE: '50ms,100ms,100ms,100ms,1h',
        A2A_HUB__PUSH__JITTER: '0',
      },
    });
  }

  async function stop(): Promise<void> {
    if (!hub) return;
    expect(await hub.terminate()).toBe(0);
    told += hub.output;
    await hub.close();
    hub = undefined;
  }

  /** Waits until the hub has logged that. */
  function logged(text: string): Promise<void> {
    return eventually(() => expect(hub!.output.includes(text) || text).toBe(true), 10_000);
  }

  function note(answer: HttpAnswer): HttpAnswer {
    told += answer.text;
    return answer;
  }

  /** Registers a webhook by JSON-RPC of that version; what the hub answered. */
  async function register(version: string | null, config: JsonObject): Promise<HttpAnswer> {
    const { id, ...others } = { id: 'c', ...config };
    const modern = version === '1.0';
    const method = modern ? 'CreateTaskPushNotificationConfig' : 'tasks/pushNotificationConfig/set';
    const params = modern
      ? { taskId, id, ...others }
      : { taskId, pushNotificationConfig: { id, ...others } };
    return note(await hub!.rpcRaw(method, params, { version, key }));
  }

  async function useEverything(): Promise<void> {
    key = await hub!.createKey();
    await hub!.registerAgent(agent.url, {
      id: 'worker',
      credentials: { authorization: 'Bearer agent-s3cr3t' },
      cardHeaders: { 'x-card': 'card-s3cr3t' },
    });
    const inline = { url: sink.url('/inline'), token: 'inline-s3cr3t' };
    const task = await hub!.submit(
      KNOWN,
      {
        message: { metadata: { agentId: 'worker' } },
        configuration: { taskPushNotificationConfig: inline },
      },
      { key },
    );
    taskId = String(task['id']);
    await hub!.waitForTask(taskId, undefined, undefined, { key });
    const hooks: [string | null, string, JsonObject][] = [
      ['1.0', 'bearer', { scheme: 'Bearer', credentials: 'bearer-s3cr3t' }],
      ['1.0', 'basic', { scheme: 'Basic', credentials: 'user:basic-s3cr3t' }],
      ['1.0', 'apikey', { scheme: 'ApiKey', credentials: 'X-Hook-Key: apikey-s3cr3t' }],
      ['1.0', 'hmac', { scheme: 'HMAC', credentials: HMAC }],
      ['0.3', 'legacy', { schemes: ['Digest', 'Bearer'], credentials: 'legacy-s3cr3t' }],
      [null, 'fasta', { type: 'http', scheme: 'bearer', credentials: 'fasta-s3cr3t' }],
    ];
    for (const [version, id, authentication] of hooks) {
      const config = { id, url: sink.url(`/${id}`), token: 'token-s3cr3t', authentication };
      expect((await register(version, config)).body).toHaveProperty('result');
    }
    await registerByRest();
    await registerByAdminApi();
    for (const [, id] of hooks) await sink.waitForCount(1, 10_000, `/${id}`);
    for (const path of ['/admin', '/p']) await sink.waitForCount(1, 10_000, path);
    await sink.waitForCount(2, 10_000, '/inline');
  }

  async function registerByRest(): Promise<void> {
    const path = `/a2a/tasks/${taskId}/pushNotificationConfigs`;
    const authentication = { scheme: 'Bearer', credentials: 'rest-s3cr3t' };
    const config = { id: 'rest', url: sink.url('/rest'), authentication };
    expect(note(await hub!.rest('POST', path, config, { key })).status).toBeLessThan(300);
  }

  async function registerByAdminApi(): Promise<void> {
    const secrets = {
      authentication: { scheme: 'Bearer', credentials: 'admin-s3cr3t' },
      token: 'admin-token-s3cr3t',
      signingKeys: [HMAC],
    };
    const requests: [string, JsonObject][] = [
      ['configs', { taskId, url: sink.url('/admin'), ...secrets }],
      ['subscriptions', { url: sink.url('/all'), ...secrets }],
      [
        'auth-profiles',
        {
          name: 'p',
          organization: 'tests',
          scheme: 'bearer',
          secret: 'profile-s3cr3t',
          urls: [sink.url('/')],
        },
      ],
    ];
    for (const [path, body] of requests) {
      const answer = note(await hub!.admin('POST', `/api/v1/push/${path}`, body));
      expect([path, answer.status]).toEqual([path, 201]);
    }
    const authentication = { scheme: 'Profile', credentials: 'p' };
    const hook = await register('1.0', { id: 'p', url: sink.url('/p'), authentication });
    expect(hook.body).toHaveProperty('result');
  }

  async function keysOf(): Promise<JsonObject> {
    const answer = note(await hub!.admin('GET', '/api/v1/secrets'));
    expect(answer.status).toBe(200);
    return answer.body as JsonObject;
  }

  it('are sent to those they are for', () => {
    expect(agent.calls[0]!.headers['authorization']).toBe('Bearer agent-s3cr3t');
    const sent = (path: string) => sink.at(path)[0]!.headers;
    expect(sent('/bearer')).toMatchObject({
      authorization: 'Bearer bearer-s3cr3t',
      'a2a-notification-token': 'token-s3cr3t',
    });
    expect(sent('/basic').authorization).toBe(`Basic ${BASIC}`);
    expect(sent('/apikey')['x-hook-key']).toBe('apikey-s3cr3t');
    expect(sent('/legacy').authorization).toBe('Bearer legacy-s3cr3t');
    expect(sent('/inline')['a2a-notification-token']).toBe('inline-s3cr3t');
    expect(sent('/admin').authorization).toBe('Bearer admin-s3cr3t');
    expect(sent('/p').authorization).toBe('Bearer profile-s3cr3t');
  });

  it('are in no answer, whatever is asked, refused or listed', async () => {
    const wrong: [string, JsonObject][] = [
      [
        '1.0',
        { url: 'ftp://x', authentication: { scheme: 'Bearer', credentials: 'refused-s3cr3t' } },
      ],
      ['1.0', { authentication: { scheme: 'Odd', credentials: 'refused-s3cr3t' } }],
      ['1.0', { authentication: { scheme: 'Bearer', credentials: 'refused-s3cr3t\r\nX: y' } }],
      ['1.0', { authentication: { scheme: 'HMAC', credentials: 'refused-s3cr3t' } }],
      ['1.0', { token: 'refused-s3cr3t\n' }],
      ['0.3', { authentication: { schemes: ['Odd'], credentials: 'refused-s3cr3t' } }],
    ];
    for (const [version, config] of wrong) {
      const answer = await register(version, { id: 'wrong', url: sink.url('/wrong'), ...config });
      expect(answer.body).toHaveProperty('error');
    }
    const lists = [
      ['1.0', 'ListTaskPushNotificationConfigs', { taskId }],
      ['1.0', 'GetTaskPushNotificationConfig', { taskId, id: 'bearer' }],
      ['0.3', 'tasks/pushNotificationConfig/list', { id: taskId }],
      ['0.3', 'tasks/pushNotificationConfig/get', { id: taskId }],
      ['1.0', 'GetTask', { id: taskId }],
      ['1.0', 'ListTasks', {}],
    ] as const;
    for (const [version, method, params] of lists) {
      expect(note(await hub!.rpcRaw(method, params, { version, key })).body).toHaveProperty(
        'result',
      );
    }
    const visited = await visitEverything(hub!);
    told += visited.text;
    expect(visited.paths).toContain('/api/v1/push/deliveries/{id}/attempts');
    expect(visited.paths).toContain('/api/v1/agents/{id}');
    expect(told.includes(KNOWN)).toBe(true);
    expect(leaked(told)).toEqual([]);
  });

  it('are in no line of its log, at the least severe level', async () => {
    await logged('Nest application successfully started');
    expect(hub!.output.includes('"secrets.keys":"k1:********"')).toBe(true);
    expect(leaked(hub!.output)).toEqual([]);
  });

  it('are in no table, and in no byte of its files', async () => {
    await stop();
    const source = await createDataSource({ url, synchronous: 'normal' }, HUB_SCHEMA).initialize();
    const tables = source.entityMetadatas.map(({ tableName }) => tableName);
    const found = await Promise.all(tables.map((table) => source.query(`SELECT * FROM ${table}`)));
    await source.destroy();
    const rows = JSON.stringify(found);
    expect(rows.includes(KNOWN)).toBe(true);
    expect(rows.includes('"sealed_credentials":"v1:k1:')).toBe(true);
    expect(leaked(rows)).toEqual([]);

    const path = sqlitePath(url);
    if (path === null) return;
    const files = [path, `${path}-wal`, `${path}-shm`, `${path}.lock`].filter(existsSync);
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
    expect(bytes.includes(KNOWN)).toBe(true);
    expect(leaked(bytes)).toEqual([]);
    expect(existsSync(`${path}.key`)).toBe(false);
  });

  if (name === 'PostgreSQL') {
    // What a change of keys does is the same there; test/db/secrets.spec.ts has its part of the database.
    it('need a key: without one the hub does not start, and says what to set', async () => {
      const said = await new Promise<string>((resolve) => {
        const env = { PATH: process.env['PATH'], A2A_HUB__DATABASE__URL: url };
        execFile(process.execPath, [HUB_PROGRAM], { env }, (error, stdout, stderr) =>
          resolve(`${error?.code} ${stdout} ${stderr}`),
        );
      });
      expect(said).toMatch(
        /^1 .*secrets\.keys .*is needed with PostgreSQL.*A2A_HUB__SECRETS__KEYS/s,
      );
    });
    return;
  }

  it('are re-encrypted with a new key', async () => {
    await restart([K2!, K1!]);
    await logged('no secret is encrypted with the key k1 any more; it may be removed');
    const { keys } = (await keysOf()) as { keys: JsonObject[] };
    expect(keys).toMatchObject([
      { id: 'k2', use: 'encrypts' },
      { id: 'k1', use: 'decrypts', secrets: 0 },
    ]);
    expect(keys[0]!['secrets']).toBeGreaterThan(15);

    sink.reset();
    const config = { id: 'bearer', url: sink.url('/bearer'), token: 'token-s3cr3t' };
    const authentication = { scheme: 'Bearer', credentials: 'bearer-s3cr3t' };
    await register('1.0', { ...config, authentication });
    const [request] = await sink.waitForCount(1, 10_000, '/bearer');
    expect(request!.headers.authorization).toBe('Bearer bearer-s3cr3t');
    const { task } = await hub!.send(KNOWN, { message: { metadata: { agentId: 'worker' } } });
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(agent.calls.at(-1)!.headers['authorization']).toBe('Bearer agent-s3cr3t');
  });

  it('wait for the new key while it is missing, and need the old one no more', async () => {
    sink.reset();
    sink.answer = 503;
    const authentication = { scheme: 'Bearer', credentials: 'bearer-s3cr3t' };
    await register('1.0', { id: 'waits', url: sink.url('/waits'), authentication });
    await sink.waitForCount(1, 10_000, '/waits');
    sink.answer = 200;

    await makeDue();
    await restart([K3!]);
    await logged('secrets are encrypted with the key k2');
    expect((await keysOf())['keys']).toMatchObject([
      { id: 'k3', use: 'encrypts' },
      { id: 'k2', use: 'missing' },
    ]);
    await logged('a webhook cannot be sent until the key of its secret is available');
    const refused = await register('1.0', { id: 'new', url: sink.url('/new'), authentication });
    expect(refused.text).toMatch(/encrypted with the key k2, which secrets\.keys does not have/);
    const calls = agent.calls.length;
    const { task } = await hub!.send(KNOWN, { message: { metadata: { agentId: 'worker' } } });
    expect(JSON.stringify(task)).toMatch(/could not be reached/);
    expect(agent.calls).toHaveLength(calls);
    const dead = await hub!.admin('GET', `/api/v1/push/deliveries?taskId=${taskId}&state=dead`);
    const waiting = (dead.body.items as JsonObject[]).filter(
      ({ configId }) => configId === 'waits',
    );
    expect(waiting).toEqual([]);

    await makeDue();
    await restart([K3!, K2!]);
    const requests = await sink.waitForCount(2, 10_000, '/waits');
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: requests.length }, () => 'Bearer bearer-s3cr3t'),
    );
    await logged('no secret is encrypted with the key k2 any more');
  });

  it('were shown nowhere in all that time', async () => {
    await stop();
    expect(told.includes('a webhook cannot be sent until the key of its secret is available')).toBe(
      true,
    );
    expect(leaked(told)).toEqual([]);
  });

  /** Stops the hub, and has the webhooks that wait for their next try looked at by the next one. */
  async function makeDue(): Promise<void> {
    await stop();
    const database = await openDatabase({ url, synchronous: 'normal' }, HUB_SCHEMA);
    await database.write(function* (tx) {
      yield* tx.run('UPDATE push_delivery_streams SET due_at = 0 WHERE due_at IS NOT NULL');
      yield* tx.run(
        'UPDATE push_deliveries SET next_attempt_at = 0 WHERE next_attempt_at IS NOT NULL',
      );
    });
    await database.close();
  }
});
