import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/bootstrap.js';
import type { ConfigOverrides } from '../../src/config/index.js';
import { HubClient } from './hub-client.js';
import { TEST_SECRET_KEY } from './secret-box.js';
import { copyMigratedSqlite } from './sqlite-template.js';

export { type HttpAnswer, RpcError, stateOf } from './hub-client.js';
export { type HubProcess, startHubProcess } from './hub-process.js';

/** The first admin key of every hub of the tests. */
export const ADMIN_KEY = 'admin-key-of-the-tests-0123456789';

export interface HubOptions {
  /** Replaces members of the tests' configuration. */
  readonly config?: ConfigOverrides;
  /** Replaces providers (a clock, an id source), as `createApp` takes them. */
  readonly providers?: NonNullable<Parameters<typeof createApp>[0]>['providers'];
  /** Keeps the database of a hub before. Default: a new file, removed at close. */
  readonly databaseUrl?: string;
}

/** A real hub inside this process. */
export class Hub extends HubClient {
  constructor(
    url: string,
    readonly app: Awaited<ReturnType<typeof createApp>>,
    readonly databaseUrl: string,
    private readonly directory: string | undefined,
  ) {
    super(url, ADMIN_KEY);
  }

  /** Stops the hub and removes its database, unless the test brought one. */
  async close(): Promise<void> {
    await this.disconnect();
    await this.app.close();
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }
}

/**
 * Starts the hub through `bootstrap.ts`, as `main.ts` does, on a free port with a SQLite file of its
 * own; loopback addresses are allowed as agents and webhooks.
 */
export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const directory = options.databaseUrl ? undefined : await mkdtemp(join(tmpdir(), 'a2a-hub-'));
  const databaseUrl = options.databaseUrl ?? `sqlite:${join(directory!, 'hub.db')}`;
  if (directory) await copyMigratedSqlite(join(directory, 'hub.db'));
  const app = await createApp({
    config: testConfig(databaseUrl, options.config),
    ...(options.providers ? { providers: options.providers } : {}),
  });
  try {
    if (!app.getHttpServer().listening) await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    if (directory) await rm(directory, { recursive: true, force: true });
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  const scheme = options.config?.server?.tls?.certificate ? 'https' : 'http';
  return new Hub(`${scheme}://127.0.0.1:${port}`, app, databaseUrl, directory);
}

/** The configuration of the tests: quiet, quick, and open to the loopback interface. */
export function testConfig(databaseUrl: string, overrides: ConfigOverrides = {}): ConfigOverrides {
  return {
    ...overrides,
    server: { host: '127.0.0.1', port: 0, ...overrides.server },
    // Power cuts are tested with the database itself; without them nothing has to reach the disk.
    database: { url: databaseUrl, synchronous: 'normal', ...overrides.database },
    secrets: { keys: [TEST_SECRET_KEY], ...overrides.secrets },
    auth: { adminKey: ADMIN_KEY, ...overrides.auth },
    egress: { allow: ['127.0.0.0/8'], ...overrides.egress },
    push: {
      allow: ['127.0.0.0/8'],
      showAllowedAnswers: true,
      trustedHosts: ['127.0.0.0/8'],
      ...overrides.push,
    },
    agents: { pollMinMs: 50, pollMaxMs: 200, ...overrides.agents },
    log: { level: 'silent', ...overrides.log },
  };
}
