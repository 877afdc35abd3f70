import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { configWith } from '../config/index.js';
import { AuthService } from './auth.service.js';
import { FakeApiKeyStore } from './fake-api-key.store.js';
import { HttpAccess } from './http-access.js';
import { KeyUses } from './key-uses.js';

it('takes a key that is none for no proof that a page is of the hub', async () => {
  const config = configWith({ auth: { mode: 'none' } });
  const store = new FakeApiKeyStore();
  const uses = new KeyUses(store, { warn: () => undefined } as unknown as Log);
  const server = Fastify();
  new HttpAccess(new AuthService(config, store, new SystemClock(), uses), config).guard(server);
  server.get('/', { config: { access: 'optional' } }, ({ principal }) => ({ id: principal?.id }));
  const idOf = async (headers: Record<string, string>): Promise<unknown> =>
    (await server.inject({ url: '/', headers })).json<{ id?: string }>().id;

  const key = { 'x-api-key': 'none' };
  for (const more of [{}, key]) {
    expect(await idOf({ host: 'localhost', ...more })).toBe('anonymous');
    expect(await idOf({ host: 'evil.example', ...more })).toBeUndefined();
  }
});
