import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Log } from '../../../src/common/logger.js';
import { LOG_MODULES } from '../../../src/common/module-logs.js';
import { createLog } from '../../../src/observability/logging.js';
import { ADMIN_KEY, type Hub, startHub } from '../../support/app.js';
import { TestAuthority } from '../../support/authority.js';
import { eventually } from '../../support/eventually.js';
import { HubClient } from '../../support/hub-client.js';
import { OidcServer } from '../../support/oidc-server.js';
import { pem } from '../../support/pem.js';
import { ScriptedAgent } from '../../support/scripted-agent.js';
import { secretOf } from '../../support/secret-of.js';
import { TestIssuer } from '../../support/test-issuer.js';
import { ADMIN_ROUTES } from './admin-routes.js';
import { Caller, type Credential } from './callers.js';
import {
  type Answer,
  type Binding,
  BINDINGS,
  ENDLESS,
  OPERATIONS,
  type Operation,
} from './bindings.js';

/** What a kind of caller may do, by hand. */
interface Kind {
  /**
   * In the A2A API. `own`: everything, with its own tasks. `all`: with the tasks of the owner, too.
   * `unknown`: not let in. `denied`: known, without the right. `forbidden`: by a policy.
   */
  readonly a2a: 'own' | 'all' | 'unknown' | 'denied' | 'forbidden';
  readonly scopes: readonly string[];
  /** Why it is not let in, as the audit log says. */
  readonly cause?: string;
}

const unknown = (cause: string): Kind => ({ a2a: 'unknown', scopes: [], cause });

const KINDS = {
  'nobody, without a credential': unknown('no-credential'),
  'an unknown key': unknown('unknown-key'),
  'no key at all': unknown('unknown-token'),
  'an expired key': unknown('expired-key'),
  'a revoked key': unknown('revoked-key'),
  'a key of a disabled principal': unknown('disabled-principal'),
  'a key of a disabled organization': unknown('disabled-organization'),
  'a key for another network': unknown('foreign-network'),
  'an expired token': unknown('expired-token'),
  'a token for another audience': unknown('wrong-audience'),
  'a token that somebody else signed': unknown('wrong-signature'),
  'a certificate that nobody lists': unknown('refused-certificate'),
  'a key without a2a': { a2a: 'denied', scopes: ['push', 'tasks:organization'] },
  'a token without the scope': { a2a: 'denied', scopes: ['audit'] },
  'a key that a policy forbids everything': { a2a: 'forbidden', scopes: ['a2a'] },
  'a key with a2a': { a2a: 'own', scopes: ['a2a'] },
  'a key of another organization': { a2a: 'own', scopes: ['a2a', 'tasks:organization'] },
  'a neighbour of the owner': { a2a: 'own', scopes: ['a2a', 'push'] },
  'a colleague who sees the tasks': { a2a: 'all', scopes: ['a2a', 'tasks:organization'] },
  'a token of a provider': { a2a: 'own', scopes: ['a2a'] },
  'a client certificate': { a2a: 'own', scopes: ['a2a', 'push'] },
  'the admin key': { a2a: 'own', scopes: ['admin'] },
} as const satisfies Record<string, Kind>;
type KindName = keyof typeof KINDS;
const kinds = Object.entries(KINDS) as [KindName, Kind][];

/** Keys of one scope each, for the admin API. */
const SCOPES = 'a2a tasks:organization tasks:all push push:all agents:organization agents routing'
  .concat(' access:organization access audit data admin')
  .split(' ');

/** How each kind of binding refuses: its status and the reason that programs read. */
const REFUSALS = {
  unknown: [{ 'JSON-RPC': '401 -31401', REST: '401', gRPC: 'UNAUTHENTICATED' }, 'UNAUTHENTICATED'],
  denied: [
    { 'JSON-RPC': '403 -31403', REST: '403', gRPC: 'PERMISSION_DENIED' },
    'PERMISSION_DENIED',
  ],
  noTask: [{ 'JSON-RPC': '200 -32001', REST: '404', gRPC: 'NOT_FOUND' }, 'TASK_NOT_FOUND'],
  noRoute: [{ 'JSON-RPC': '200 -32602', REST: '400', gRPC: 'INVALID_ARGUMENT' }, 'NO_ROUTE'],
  open: [{ 'JSON-RPC': '200', REST: '200', gRPC: 'OK' }, undefined],
} as const;

const ABOUT_A_TASK = OPERATIONS.filter(
  (name) => !/^Send|^ListTasks$|^GetExtendedAgentCard$/.test(name),
);

/** What nobody may ever learn from the hub: claims of tokens; keys and tokens are added as they are made. */
const CLAIMS = {
  email: 'carla.person@private.example',
  name: 'Carla Veryprivate',
  phone_number: '+41790001122',
};
const secrets = new Map<string, string>(Object.entries(CLAIMS));
/** All that the hub has answered and logged in this run. */
const told: string[] = [];

let hub: Hub;
let agent: ScriptedAgent;
let provider: OidcServer;
let issuer: TestIssuer;
let root: TestAuthority;
let operator: HubClient;
let owner: Caller;
/** A task of the owner that goes on, which nobody else may reach. */
let ownersTask: string;
let ownersContext: string;
const callers = new Map<string, Caller>();

const log = createLog(
  'trace',
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      told.push(chunk.toString());
      done();
    },
  }),
);

async function post(path: string, body: object = {}): Promise<{ id: string; key: string }> {
  const answer = await operator.admin('POST', `/api/v1/${path}`, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

/** A key, the part of it that is secret among what must not be told. */
async function keyOf(
  organization: string,
  scopes: readonly string[],
  more: object = {},
): Promise<{ id: string; key: string; principalId: string }> {
  const made = await post('keys', { name: 'matrix', organization, scopes, ...more });
  secrets.set(`key ${secrets.size}`, secretOf(made.key));
  return made as Awaited<ReturnType<typeof keyOf>>;
}

function callerWith(credential: Credential): Caller {
  const { bearer, certificate } = credential;
  // The signature of a token is what makes it one.
  if (bearer !== undefined) secrets.set(`${secrets.size}`, bearer.split('.').at(-1)!);
  if (certificate) secrets.set(`${secrets.size}`, certificate.key.split('\n')[1]!);
  return new Caller(hub, root.certificate, credential);
}

beforeAll(async () => {
  const start = {
    handlers: {
      SendStreamingMessage: (call: Parameters<ScriptedAgent['serve']>[0]) =>
        call.text === ENDLESS
          ? agent.begin(call, { manual: true }).follow(call)
          : agent.serve(call),
    },
  };
  [agent, provider, issuer, root] = await Promise.all([
    ScriptedAgent.start(start),
    OidcServer.start(),
    TestIssuer.start(),
    TestAuthority.make('Acme'),
  ]);
  const host = await root.issue('hub', ['127.0.0.1']);
  const [certificate, key, clientCa] = [
    pem(host.certificate),
    pem(host.key),
    pem(root.certificate),
  ];
  hub = await startHub({
    providers: [{ provide: Log, useValue: log }],
    config: {
      log: { levels: Object.fromEntries(LOG_MODULES.map((module) => [module, 'trace'])) },
      server: { tls: { certificate, key, clientCa } },
      grpc: { port: -1, tlsCertificate: certificate, tlsKey: key, tlsClientCa: clientCa },
      auth: {
        certificates: [
          {
            name: 'agents',
            spiffeId: 'spiffe://acme.example/*',
            organization: 'acme',
            scopes: ['a2a', 'push'],
          },
        ],
        issuers: [
          {
            id: 'provider',
            issuer: provider.url,
            organization: 'acme',
            grants: { everyone: [], scopes: { 'hub.call': ['a2a'], 'hub.operate': ['audit'] } },
          },
          { id: 'test', issuer: issuer.url, organization: 'acme' },
        ],
      },
    },
  });
  operator = new HubClient(hub.url, ADMIN_KEY);
  await post('agents', { cardUrl: agent.url, id: 'scripted' });

  const a2a = async (organization = 'acme', more = {}): Promise<Credential> => ({
    bearer: (await keyOf(organization, ['a2a'], more)).key,
  });
  owner = callerWith(await a2a());
  const expired = await a2a('acme', { expiresAt: new Date(Date.now() + 1500).toISOString() });
  const revoked = await keyOf('acme', ['a2a']);
  await operator.admin('DELETE', `/api/v1/keys/${revoked.id}`);
  const ofDisabled = await keyOf('acme', ['a2a']);
  await post(`principals/${ofDisabled.principalId}:disable`);
  const ofDisabledOrganization = await a2a('closed');
  await post('organizations/closed:disable');
  const forbidden = await keyOf('acme', ['a2a']);
  await post('policies', {
    id: 'nothing',
    text: `forbid(principal == Caller::"${forbidden.principalId}", action, resource);`,
  });
  const aud = hub.url;
  const past = Math.floor(Date.now() / 1000) - 3600;
  const stranger = await TestIssuer.start();
  const [listed, unlisted] = await Promise.all([
    root.issue('agent', [], { uris: ['spiffe://acme.example/build'] }),
    root.issue('stranger', [], { uris: ['spiffe://other.example/build'] }),
  ]);
  const credentialOf: Record<KindName, Credential> = {
    'nobody, without a credential': {},
    'an unknown key': { bearer: `hub_${'0'.repeat(16)}_${'1'.repeat(43)}` },
    'no key at all': { bearer: 'what-is-this-s3cret' },
    'an expired key': expired,
    'a revoked key': { bearer: revoked.key },
    'a key of a disabled principal': { bearer: ofDisabled.key },
    'a key of a disabled organization': ofDisabledOrganization,
    'a key for another network': await a2a('acme', { allowedNetworks: ['192.0.2.0/24'] }),
    'an expired token': {
      bearer: await issuer.token({ aud, ...CLAIMS, iat: past, exp: past + 60 }),
    },
    'a token for another audience': {
      bearer: await issuer.token({ aud: 'https://other.example', ...CLAIMS }),
    },
    'a token that somebody else signed': {
      bearer: await stranger.token({ aud, ...CLAIMS, iss: issuer.url }),
    },
    'a certificate that nobody lists': { certificate: unlisted },
    'a key without a2a': { bearer: (await keyOf('acme', ['push', 'tasks:organization'])).key },
    'a token without the scope': { bearer: await provider.token('operations', aud, 'hub.operate') },
    'a key that a policy forbids everything': { bearer: forbidden.key },
    'a key with a2a': await a2a(),
    'a key of another organization': {
      bearer: (await keyOf('umbrella', ['a2a', 'tasks:organization'])).key,
    },
    'a neighbour of the owner': { bearer: (await keyOf('acme', ['a2a', 'push'])).key },
    'a colleague who sees the tasks': {
      bearer: (await keyOf('acme', ['a2a', 'tasks:organization'])).key,
    },
    'a token of a provider': { bearer: await provider.token('billing', aud) },
    'a client certificate': { certificate: listed },
    'the admin key': { bearer: ADMIN_KEY },
  };
  await stranger.close();
  for (const [name, credential] of Object.entries(credentialOf)) {
    callers.set(name, callerWith(credential));
  }
  for (const scope of SCOPES) {
    callers.set(scope, callerWith({ bearer: (await keyOf('acme', [scope])).key }));
  }
  await eventually(async () => {
    const { status } = await callers.get('an expired key')!.http('GET', '/a2a/tasks');
    expect(status).toBe(401);
  });
  ownersTask = await begun(BINDINGS[0]!, owner);
  const { body } = await owner.http('GET', `/a2a/tasks/${ownersTask}`, { version: '1.0' });
  ownersContext = body.contextId;
}, 120_000);

afterAll(async () => {
  for (const caller of [owner, ...callers.values()]) await caller?.close();
  await operator?.disconnect();
  await hub?.close();
  await Promise.all([agent?.close(), provider?.close(), issuer?.close()]);
});

async function begun(binding: Binding, caller: Caller): Promise<string> {
  return binding.taskIdIn((await binding.call(caller, 'SendMessage', ''))!);
}

/** The answer, and what of it is unlike what is expected; a binding that has not the operation is passed over. */
async function unlike(
  binding: Binding,
  name: string,
  operation: Operation,
  taskId: string,
  outcome: keyof typeof REFUSALS,
): Promise<string[]> {
  const calling = binding.call(callers.get(name)!, operation, taskId);
  if (calling === undefined) return [];
  const { status, reason, text }: Answer = await calling;
  // Over gRPC a process looks at 200 calls a second without a valid key.
  if (outcome === 'unknown' && status === 'RESOURCE_EXHAUSTED') {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return unlike(binding, name, operation, taskId, outcome);
  }
  told.push(text);
  const [byFamily, expected] = REFUSALS[outcome];
  const wanted = `${byFamily[binding.family]} ${String(expected)}`;
  const found = `${status} ${String(reason)}`;
  return found === wanted ? [] : [`${binding.name} ${operation}: ${found}, not ${wanted}: ${text}`];
}

/** All operations one after the other, over all bindings at once. */
async function overAllBindings(
  tryOut: (binding: Binding) => AsyncGenerator<string[], void>,
): Promise<string[]> {
  const found = BINDINGS.map(async (binding) => {
    const wrong: string[] = [];
    for await (const each of tryOut(binding)) wrong.push(...each);
    return wrong;
  });
  return (await Promise.all(found)).flat();
}

describe('over every binding', () => {
  it.each(kinds.filter(([, { a2a }]) => a2a === 'unknown' || a2a === 'denied'))(
    'nothing is open to %s',
    async (name, { a2a }) => {
      const wrong = await overAllBindings(async function* (binding) {
        for (const operation of OPERATIONS) {
          yield unlike(binding, name, operation, ownersTask, a2a as 'unknown' | 'denied');
        }
      });
      expect(wrong).toEqual([]);
    },
  );

  it('no operation passes a policy that forbids it', async () => {
    const name: KindName = 'a key that a policy forbids everything';
    const wrong = await overAllBindings(async function* (binding) {
      for (const operation of OPERATIONS) {
        const outcome = operation.startsWith('Send') ? 'noRoute' : 'denied';
        yield unlike(binding, name, operation, ownersTask, outcome);
      }
    });
    expect(wrong).toEqual([]);
  });

  it.each(kinds.filter(([, { a2a }]) => a2a === 'own' || a2a === 'all'))(
    'what is its own is open to %s',
    async (name, { a2a }) => {
      const caller = callers.get(name)!;
      const wrong = await overAllBindings(async function* (binding) {
        const id = await begun(binding, caller);
        if (a2a === 'own') {
          for (const operation of ABOUT_A_TASK) {
            yield unlike(binding, name, operation, ownersTask, 'noTask');
          }
        } else yield unlike(binding, name, 'GetTask', ownersTask, 'open');
        for (const operation of OPERATIONS) {
          yield unlike(binding, name, operation, id, 'open');
        }
      });
      expect(wrong).toEqual([]);
      const list = `/a2a/tasks?contextId=${ownersContext}`;
      const { tasks } = (await caller.http('GET', list, { version: '1.0' })).body;
      expect(tasks.map(({ id }: { id: string }) => id)).toEqual(a2a === 'all' ? [ownersTask] : []);
    },
  );

  it('nobody has changed the task of the owner', async () => {
    const { body } = await owner.http('GET', `/a2a/tasks/${ownersTask}`, { version: '1.0' });
    expect(body.status.state).toMatch(/SUBMITTED|WORKING/);
    const path = `/a2a/tasks/${ownersTask}/pushNotificationConfigs`;
    const { body: webhooks } = await owner.http('GET', path, { version: '1.0' });
    expect(webhooks.configs ?? []).toEqual([]);
  });
});

describe('the routes of the admin API', () => {
  it('are all expected by hand', async () => {
    const { paths } = (await operator.admin('GET', '/docs/openapi.json')).body;
    const served = Object.entries(paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'X')}`,
        ),
      );
    expect(ADMIN_ROUTES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      served.sort(),
    );
  });

  const all: [string, readonly string[], boolean][] = [
    ...kinds.map(([name, { scopes, a2a }]): (typeof all)[number] => [
      name,
      scopes,
      a2a === 'unknown',
    ]),
    ...SCOPES.map((scope): (typeof all)[number] => [scope, [scope], false]),
  ];
  it.each(all)('are open to %s by its scopes alone', async (name, scopes, isUnknown) => {
    const wrong: string[] = [];
    const rest = [...ADMIN_ROUTES];
    const work = async (): Promise<void> => {
      for (let route = rest.pop(); route !== undefined; route = rest.pop()) {
        const { method, path, opening } = route;
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const answer = await callers
          .get(name)!
          .http(method, path.replaceAll('X', 'nothing'), { body });
        told.push(answer.text);
        const isOpen = ['admin', ...opening].some((scope) => scopes.includes(scope));
        const wanted = isUnknown ? 401 : isOpen ? undefined : 403;
        const isRight =
          wanted === undefined
            ? answer.status !== 401 && answer.status !== 403 && answer.status < 500
            : answer.status === wanted &&
              String(answer.body?.type).endsWith(
                wanted === 401 ? ':unauthenticated' : ':permission-denied',
              );
        if (!isRight) wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    expect(wrong).toEqual([]);
  });
});

describe('what the hub has told in this run', () => {
  it('is in the audit log, with the cause of every refused sign-in', async () => {
    const causes = new Set(kinds.flatMap(([, { cause }]) => cause ?? []));
    await eventually(async () => {
      const { text } = await operator.admin('GET', '/api/v1/audit:export');
      const found = new Set(
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => (JSON.parse(line) as { details?: { cause?: string } }).details?.cause),
      );
      expect([...causes].filter((cause) => !found.has(cause))).toEqual([]);
      expect(found).toContain('policy');
    });
  });

  it('holds no key, token, private key or claim: answers, log, metrics, audit log, database', async () => {
    const metrics = await operator.admin('GET', '/metrics');
    const audit = await operator.admin('GET', '/api/v1/audit:export');
    expect([metrics.status, audit.status]).toEqual([200, 200]);
    const directory = dirname(hub.databaseUrl.replace('sqlite:', ''));
    const files = await Promise.all(
      (await readdir(directory)).map((file) => readFile(join(directory, file), 'latin1')),
    );
    const everything = [...told, metrics.text, audit.text, ...files].join('\n');
    // What would be found if it were there.
    for (const known of [ownersTask, 'a2a_hub', 'auth.sign-in', '"level":"']) {
      expect(everything).toContain(known);
    }
    expect([...secrets.values()].filter((secret) => secret.length < 12)).toEqual([]);
    const leaked = [...secrets].filter(([, secret]) => everything.includes(secret));
    expect(leaked).toEqual([]);
    expect(secrets.size).toBeGreaterThan(40);
  });
});
