import { format } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { setLogger } from '@grpc/grpc-js';
import type { INestApplicationContext } from '@nestjs/common';
import { type AdminKey, KeysService } from './auth/index.js';
import { writeAdminKey } from './admin-key-file.js';
import { AgentRegistry } from './agents/index.js';
import { createApp } from './bootstrap.js';
import { checked } from './checked-source.js';
import type { Log } from './common/logger.js';
import { ModuleLogs } from './common/module-logs.js';
import {
  type ConfigSource,
  AppConfig,
  ConfigChanges,
  ConfigError,
  GrpcAddress,
  HUB_VERSION,
  PublicUrl,
} from './config/index.js';
import { adminKeyFileOf } from './database/admin-key-file-of.js';
import { isForPeople } from './observability/logging.js';
import { startSummary, summaryLines } from './start-summary.js';

/** Where `print` goes, and whether that is a terminal: what others may keep is shown no key. */
export interface Console {
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
}
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** How long after the drain's own limit a process that still lives is ended. */
const LAST_RESORT_MS = 10_000;
/** Connections that may wait to be accepted, as far as the system allows: thousands of clients may come at once. */
const BACKLOG = 8192;

/**
 * Per cent by which the heap may grow over what was in use after the last full collection, until the next one. V8
 * lets it grow to several times that by itself, and hardly gives memory back.
 */
const HEAP_GROWTH = 100;

/** Serves until a signal comes, and tells an operator where. */
export async function startHub(
  source: ConfigSource,
  { print, isTerminal }: Console,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const app = await createApp({ config: await checked(source) });
  const config = app.get(AppConfig);
  const { server, database } = config;
  const log = app.get(ModuleLogs).of('hub');
  quietGrpc(log);
  stopBySignal(app, config, isTerminal);
  try {
    // What is declared is read then: what is wrong with it is said before the key is made.
    await app.init();
    const file = adminKeyFileOf(database.url);
    const adminKey = await app
      .get(KeysService)
      .ensureAdminKey((key) => isTerminal || writeAdminKey(file, key));
    // Said now: what fails from here on would keep it from the operator for ever.
    if (adminKey !== null) print(`${sentenceOf(adminKey, isTerminal ? undefined : file)}\n`);
    try {
      await app.listen({ port: server.port, host: server.host, backlog: BACKLOG });
    } catch (error) {
      throw cannotListen(error, server);
    }
    const grpc = app.get(GrpcAddress).listening;
    if (grpc !== undefined) print(`gRPC is listening at ${grpc}\n`);
    const { listening, base } = app.get(PublicUrl);
    const agents = app.get(AgentRegistry).all();
    const disabled = agents.filter(({ enabled }) => !enabled).length;
    const summary = startSummary(config, {
      ...{ version: HUB_VERSION, listening, publicUrl: base, grpc },
      agents: { known: agents.length, disabled },
    });
    if (isForPeople(config.log.format)) print(summaryLines(summary));
    else log.info(summary, 'started');
    print(`A2A Hub ${HUB_VERSION} is listening at ${listening}\n`);
  } catch (error) {
    await app.close();
    throw error instanceof ConfigError ? error.in(source.file) : error;
  }
}

/**
 * A signal drains, also while the hub still starts. SIGHUP says that the terminal is gone, where there is one; else that the file of the
 * configuration is to be looked at.
 */
function stopBySignal(
  app: INestApplicationContext,
  { server }: AppConfig,
  isTerminal: boolean,
): void {
  const signals = isTerminal ? [...STOP_SIGNALS, 'SIGHUP' as const] : STOP_SIGNALS;
  app.enableShutdownHooks([...signals], { useProcessExit: true });
  for (const signal of signals) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), server.drainMs + LAST_RESORT_MS).unref();
    });
  }
  if (!isTerminal) process.on('SIGHUP', () => app.get(ConfigChanges).lookNow());
}

/** The library prints lines of its own about what it also throws: they go where the log's are, for who looks closely. */
function quietGrpc(log: Log): void {
  const debug = (...words: unknown[]): void => log.debug({ grpc: format(...words) }, 'gRPC');
  setLogger({ error: debug, info: debug, debug });
}

/** What an operator learns of the admin key; a new one is in the file, when there is one. */
function sentenceOf(adminKey: AdminKey, file: string | undefined): string {
  if (adminKey.from === 'configuration') return 'The admin key is that of auth.adminKey.';
  if (adminKey.from === 'database') {
    const since = adminKey.since.toISOString();
    return `An admin key exists since ${since}. Who has lost it: node dist/main.js keys create --admin`;
  }
  const until =
    adminKey.expiresAt === null
      ? ''
      : ` It is valid until ${adminKey.expiresAt.toISOString()}: make your own keys with it before.`;
  return file === undefined
    ? `Admin key, shown this once: ${adminKey.key}${until && `\n${until.trim()}`}`
    : `The first admin key is in ${file}: keep it, then remove the file.${until}`;
}

const LISTEN_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'is in use: stop what listens there, or choose another by server.port (A2A_HUB__SERVER__PORT)',
  EACCES: 'needs rights that this user has not: choose one above 1023 by server.port',
  EADDRNOTAVAIL: 'is no address of this machine: set server.host (A2A_HUB__SERVER__HOST)',
  ENOTFOUND: 'is no known host: set server.host (A2A_HUB__SERVER__HOST)',
};

/** Says which setting is at fault when the hub cannot listen; whatever else was thrown stays itself. */
function cannotListen(thrown: unknown, { host, port }: { host: string; port: number }): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  const trouble = code === undefined ? undefined : LISTEN_TROUBLE[code];
  if (trouble === undefined) return thrown;
  return new Error(`port ${port} at ${host} ${trouble} (${code}).`, { cause: thrown });
}
