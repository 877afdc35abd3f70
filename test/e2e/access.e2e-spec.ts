import { connect } from 'node:net';
import { type INestApplication, Controller, Get } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { type DeclaredRoute, HttpAccess } from '../../src/auth/index.js';
import { SCOPES, type Scope } from '../../src/common/scope.js';
import { createApp } from '../../src/bootstrap.js';
import { type Hub, startHub, testConfig } from '../support/app.js';
import { GrpcClient, V0, V1, failureOf, grpcTarget } from '../support/grpc-client.js';

/** Who may call what, by hand: a route that fits no line, or another than its own, fails. */
const EXPECTED: readonly (readonly [pattern: RegExp, access: DeclaredRoute['access']])[] = [
  [/^(GET|HEAD) \/(health\/(live|ready)|docs|docs\/openapi\.json|docs\/ui\/[a-z.-]+)?$/, 'public'],
  [
    /^(GET|HEAD|OPTIONS) (\/a2a(\/agents\/:agentId)?)?\/\.well-known\/agent(-card)?\.json$/,
    'public',
  ],
  [/^(GET|HEAD|OPTIONS) \/\.well-known\/jwks\.json$/, 'public'],
  [/^(GET|HEAD) \/metrics$/, 'optional'],
  [/^(GET|HEAD) \/health\/details$/, 'admin'],
  [/^(GET|HEAD) \/console(\/\*|\/assets\/\*|\/icon\.svg)?$/, 'public'],
  [/^(GET \/console\/(sign-in|session)|POST \/console\/sign-out)$/, 'public'],
  [/^GET \/console\/sign-in\/callback$/, 'secret'],
  [/^POST \/callbacks\/agents\/:delegationId$/, 'secret'],
  [/^GET \/oauth\/(consent\/:id|callback)$/, 'secret'],
  [/^[A-Z]+ \/api\/v1\/(signing-keys|secrets|logging)\b/, 'admin'],
  [/^[A-Z]+ \/api\/v1\/audit\b/, 'audit'],
  [/^[A-Z]+ \/api\/v1\/data\b/, 'data'],
  [/^[A-Z]+ \/api\/v1\/sign-in-blocks\b/, 'access'],
  [/^(GET|HEAD) \/api\/v1\/me$/, 'any'],
  [/^(GET|HEAD) \/api\/v1\/usage\/me$/, 'a2a'],
  [/^[A-Z]+ \/api\/v1\/(usage\b|limits\b|policies\b|principals.*::handover$)/, 'access'],
  [/^(POST|DELETE) \/api\/v1\/organizations\b/, 'access'],
  [/^[A-Z]+ \/api\/v1\/consents\b/, 'a2a|access:organization'],
  [/^[A-Z]+ \/api\/v1\/(keys|principals|organizations)\b/, 'access:organization'],
  [
    /^(GET|HEAD) \/api\/v1\/overview$/,
    'tasks:organization|tasks:all|agents:organization|agents|push|push:all|access:organization|access|routing|audit|data',
  ],
  [/^[A-Z]+ \/api\/v1\/agents\b/, 'agents:organization'],
  [/^[A-Z]+ \/api\/v1\/(composite-skills|routes\/rules)\b/, 'routing'],
  [/^POST \/api\/v1\/routes::dry-run$/, 'a2a'],
  [/^DELETE \/api\/v1\/tasks\/:id$/, 'a2a|tasks:all'],
  [/^(GET|HEAD) \/api\/v1\/tasks\/:id\/content$/, 'tasks:all'],
  [/^POST \/api\/v1\/tasks\/:id\(.+\)::(cancel|retry)$/, 'tasks:all'],
  [/^(GET|HEAD) \/api\/v1\/tasks\b/, 'tasks:organization'],
  [/^(POST|PATCH|DELETE) \/api\/v1\/push\/auth-profiles\b/, 'push:all'],
  [/^(GET|HEAD) \/api\/v1\/push\/auth-profiles\b/, 'push'],
  [/^[A-Z]+ \/api\/v1\/push\/(?!auth-profiles)/, 'push'],
  [/^OPTIONS \/(a2a\b.*|v1\/card|agent\/authenticatedExtendedCard)?$/, 'public'],
  [/^(GET|HEAD|POST|DELETE) \/a2a(?!.*\.well-known)/, 'a2a'],
  [/^(POST \/|(GET|HEAD) \/(v1\/card|agent\/authenticatedExtendedCard))$/, 'a2a'],
];

/** The scopes that open what another one does; `admin` opens all. */
const WIDER: Partial<Record<DeclaredRoute['access'], Scope>> = {
  'tasks:organization': 'tasks:all',
  push: 'push:all',
  'agents:organization': 'agents',
  'access:organization': 'access',
};

let hub: Hub;
const keys = new Map<Scope, string>();

beforeAll(async () => {
  hub = await startHub({ config: { grpc: { port: -1 } } });
  for (const scope of SCOPES) keys.set(scope, await hub.createKey({ scopes: [scope] }));
});
afterAll(() => hub?.close());

const served = (): readonly DeclaredRoute[] => hub.app.get(HttpAccess).routes;

describe('every route that is served', () => {
  it('has the access that is expected of it, by hand', () => {
    const unlike = served()
      .filter(({ access }) => access !== 'refused')
      .filter(({ method, url, access }) => {
        const line = EXPECTED.find(([pattern]) => pattern.test(`${method} ${url}`));
        return line?.[1] !== access;
      });
    expect(unlike).toEqual([]);
    expect(served().length).toBeGreaterThan(300);
  });

  it('answers a caller without a key before the body, and closes', async () => {
    const wrong = await each(served(), async (route) => {
      const { status, seconds } = await unfinished(route);
      return isRight(route, undefined, status) && seconds < 10
        ? undefined
        : `${route.method} ${route.url}: ${status} in ${seconds} s`;
    });
    expect(wrong).toEqual([]);
  }, 120_000);

  it.each(SCOPES)(
    'lets in whom it should of those with the scope %s',
    async (scope) => {
      const wrong = await each(served(), async (route) => {
        const status = await called(route, keys.get(scope)!);
        return isRight(route, scope, status)
          ? undefined
          : `${route.method} ${route.url}: ${status}`;
      });
      expect(wrong).toEqual([]);
    },
    120_000,
  );
});

describe('gRPC', () => {
  const methods = [...Object.values(V1), ...Object.values(V0)].map(({ path }) => path);
  const code = async (path: string, key: string | null): Promise<string> => {
    const client = new GrpcClient(grpcTarget(hub), { key });
    const { code: found } = await failureOf(client.exchange(path, Buffer.from([0xff])));
    client.close();
    return found;
  };

  it.each(methods)('%s asks for a key with the scope a2a', async (path) => {
    expect(await code(path, null)).toBe('UNAUTHENTICATED');
    expect(await code(path, 'hub_0_1')).toBe('UNAUTHENTICATED');
    for (const scope of SCOPES) {
      const refused = scope === 'a2a' || scope === 'admin' ? [] : ['PERMISSION_DENIED'];
      const found = await code(path, keys.get(scope)!);
      expect([scope, ['PERMISSION_DENIED', 'UNAUTHENTICATED'].filter((c) => c === found)]).toEqual([
        scope,
        refused,
      ]);
    }
  });

  it('answers the health check to everybody', async () => {
    const client = new GrpcClient(grpcTarget(hub), { key: null });
    const { answer } = await client.exchange('/grpc.health.v1.Health/Check', Buffer.alloc(0));
    expect([...answer]).toEqual([8, 1]);
    client.close();
  });
});

describe('a route that declares no access', () => {
  const start = async (add: (app: INestApplication) => void): Promise<string> => {
    const app = await createApp({ config: testConfig('sqlite::memory:') });
    try {
      add(app);
      await app.init();
      await app.getHttpAdapter().getInstance().ready();
      return 'started';
    } catch (error) {
      return (error as Error).message;
    } finally {
      await app.close().catch(() => undefined);
    }
  };

  it('stops the start, and is named: a route of Fastify', async () => {
    const add = (config: object) => (app: INestApplication) =>
      app
        .getHttpAdapter()
        .getInstance()
        .get('/forgotten', config, () => 'open');
    expect(await start(add({}))).toContain('GET /forgotten declares no access');
    expect(await start(add({ config: { access: 'everyone' } }))).toContain(
      'GET /forgotten declares the access everyone',
    );
    expect(await start(add({ config: { access: 'public' } }))).toBe('started');
  });

  it('stops the start, and is named: a controller', async () => {
    class Forgotten {
      read(): string {
        return 'open';
      }
    }
    Get()(
      Forgotten.prototype,
      'read',
      Object.getOwnPropertyDescriptor(Forgotten.prototype, 'read')!,
    );
    Controller('forgotten')(Forgotten);
    const { ObservabilityModule } = await import('../../src/observability/observability.module.js');
    const controllers = Reflect.getMetadata('controllers', ObservabilityModule) as unknown[];
    controllers.push(Forgotten);
    try {
      expect(await start(() => undefined)).toContain('GET /forgotten declares no access');
    } finally {
      controllers.pop();
    }
  });
});

/** The path of a route with something in the place of each parameter. */
function pathOf({ url }: DeclaredRoute): string {
  const bare = /\([^()]*\)/;
  let path = url;
  while (bare.test(path)) path = path.replace(bare, '');
  return path
    .replaceAll('::', '\0')
    .replace(/:\w+/g, 'nothing')
    .replaceAll('\0', ':')
    .replace('*', 'nothing/at/all');
}

/** Whether this is what the route answers to whom holds the scope; undefined: to who has no key. */
function isRight(
  { url, access }: DeclaredRoute,
  scope: Scope | undefined,
  status: number,
): boolean {
  if (access === 'refused') return status === (url.endsWith('*') ? 404 : 405);
  // What a browser brings back to the callback is no place, but may be wrong.
  if (access === 'secret') return status === (url.endsWith('/callback') ? 400 : 404);
  if (access === 'public' || access === 'optional') return ![401, 403, 405].includes(status);
  if (scope === undefined) return status === 401;
  if (access === 'any') return status === 200;
  const either = access.split('|') as DeclaredRoute['access'][];
  const opens = [...either, ...either.map((each) => WIDER[each]), 'admin'].includes(scope);
  return opens ? ![401, 403, 405].includes(status) : status === 403;
}

/** The status of a request with a body that never ends; how long it took until the hub closed. */
function unfinished(route: DeclaredRoute): Promise<{ status: number; seconds: number }> {
  const since = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
    let text = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error(`no end of ${route.url}`)));
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject);
    socket.once('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
      resolve({ status, seconds: (performance.now() - since) / 1000 });
    });
    socket.write(
      `${route.method} ${pathOf(route)} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n` +
        'Content-Length: 1000000\r\n\r\n{"name":',
    );
  });
}

async function called(route: DeclaredRoute, key: string): Promise<number> {
  const aborter = new AbortController();
  const answer = await request(hub.url + pathOf(route), {
    method: route.method as 'GET',
    headers: { authorization: `Bearer ${key}` },
    signal: aborter.signal,
  });
  answer.body.on('error', () => undefined);
  aborter.abort();
  return answer.statusCode;
}

/** What is not undefined of what is found for each, some at a time. */
async function each<T>(
  routes: readonly DeclaredRoute[],
  find: (route: DeclaredRoute) => Promise<T | undefined>,
): Promise<T[]> {
  const found: T[] = [];
  const rest = [...routes];
  const work = async (): Promise<void> => {
    for (let route = rest.pop(); route !== undefined; route = rest.pop()) {
      const one = await find(route);
      if (one !== undefined) found.push(one);
    }
  };
  await Promise.all(Array.from({ length: 64 }, work));
  return found;
}
