import { expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { configWith, type PublicUrl } from '../config/index.js';
import { AuthService } from './auth.service.js';
import { Challenges } from './challenge.js';
import { FakeApiKeyStore } from './fake-api-key.store.js';
import { HttpAccess } from './http-access.js';
import type { AccessTokens } from './issuers/access-tokens.js';
import type { HubCallers } from './hubs/hub-callers.js';
import type { CertificateCallers } from './certificates/certificate-callers.js';
import { KeyCallers } from './key-callers.js';
import { KeyUses } from './key-uses.js';
import { SessionCallers } from './sessions/session-callers.js';
import type { TokenCallers } from './token-callers.js';

const noCertificates = {
  refuseForged: () => undefined,
  shownBy: () => undefined,
} as unknown as CertificateCallers;

/** A hub for which no key is needed, with a path whoever may call it is let in to and one that asks for a scope. */
function openServer(): FastifyInstance {
  const config = configWith({ auth: { mode: 'none' } });
  const store = new FakeApiKeyStore();
  const uses = new KeyUses(store, { warn: () => undefined } as unknown as Log);
  const server = Fastify();
  const clock = new SystemClock();
  const keys = new KeyCallers(config, store, clock, uses);
  const tokens = { areAccepted: false } as TokenCallers;
  const noHubs = { mayBringToken: () => false } as unknown as HubCallers;
  const auth = new AuthService(
    config,
    keys,
    tokens,
    clock,
    noCertificates,
    noHubs,
    new SessionCallers(config),
  );
  const challenges = new Challenges({ issuers: [] } as unknown as AccessTokens, {} as PublicUrl);
  new HttpAccess(auth, challenges, config).guard(server, {
    ignoreTrailingSlash: true,
    maxParamLength: 100,
  });
  server.get('/', { config: { access: 'optional' } }, ({ principal }) => ({ id: principal?.id }));
  server.get('/keys', { config: { access: 'admin' } }, ({ principal }) => ({ id: principal?.id }));
  return server;
}

it('takes a key that is none for no proof that a page is of the hub', async () => {
  const server = openServer();
  const idOf = async (headers: Record<string, string>): Promise<unknown> =>
    (await server.inject({ url: '/', headers })).json<{ id?: string }>().id;

  const key = { 'x-api-key': 'none' };
  for (const more of [{}, key]) {
    expect(await idOf({ host: 'localhost', ...more })).toBe('anonymous');
    expect(await idOf({ host: 'evil.example', ...more })).toBeUndefined();
  }
});

it('lets nobody in without a key under a name that is not of the hub', async () => {
  const server = openServer();
  const answerTo = (host: string) => server.inject({ url: '/keys', headers: { host } });
  expect((await answerTo('localhost')).json()).toEqual({ id: 'anonymous' });
  const refused = await answerTo('evil.example');
  expect(refused.statusCode).not.toBe(200);
  expect(refused.body).toContain('Without a key the Host must be an address of the hub');
});
