import {
  type AppConfig,
  ConfigError,
  HUB_VERSION,
  loadConfig,
  ProcessConfigSource,
  summarize,
} from './config/index.js';

const HELP = `A2A Hub ${HUB_VERSION}: one A2A endpoint in front of many agents.

Usage: node dist/main.js [command]

  (no command)         serve until SIGTERM or SIGINT
  migrate              bring the database up to date, then exit (PostgreSQL; SQLite does it at start)
  keys create --admin  make another admin key and print it, then exit (with SQLite the hub is stopped first)
  config               show every setting as it is in force, secrets masked, then exit
  --help               show this
  --version            show the version

Configuration: config/default.yaml, then the file of A2A_HUB_CONFIG, then variables such as
A2A_HUB__DATABASE__URL. Every key is described in docs/configuration.md.
`;

const COMMANDS = ['', 'migrate', 'keys create --admin', 'config', '--help', '--version'];

/** Runs one command; resolves with the exit code, or with undefined while the hub serves. */
export async function run(args: readonly string[]): Promise<number | undefined> {
  const command = args.join(' ');
  if (!COMMANDS.includes(command)) {
    process.stderr.write(`Unknown command: ${command}\n\n${HELP}`);
    return 2;
  }
  if (command === '--help') return print(HELP);
  if (command === '--version') return print(`${HUB_VERSION}\n`);
  try {
    if (command === 'migrate') return await migrate();
    if (command === 'config') return await showConfig();
    if (command === 'keys create --admin') return await createKey();
    return await serve();
  } catch (error) {
    process.stderr.write(`${describe(error, command)}\n`);
    return 1;
  }
}

/** What serves is loaded only now: without it what is wrong is said in a quarter of the time. */
async function serve(): Promise<undefined> {
  const source = new ProcessConfigSource();
  const config = source.initial;
  const { startHub } = await import('./start-hub.js');
  const console = { print, isTerminal: process.stdout.isTTY };
  await withDatabase(config, () => startHub(source, console));
  return undefined;
}

async function migrate(): Promise<number> {
  const config = loadConfig();
  const { openDatabase } = await import('./database/open-database.js');
  const { HUB_SCHEMA } = await import('./hub-schema.js');
  const { openLog } = await import('./observability/logging.js');
  const log = await openLog(config.log);
  await withDatabase(config, async () => {
    const database = await openDatabase(config.database, HUB_SCHEMA, { migrate: true, log });
    await database.close();
  });
  return print('The database is up to date.\n');
}

/** One key a line. What is wrong with any, or with what the file declares, is said instead. */
async function showConfig(): Promise<number> {
  const source = new ProcessConfigSource();
  const config = source.initial;
  const [{ checked }, { stringify }] = await Promise.all([
    import('./checked-source.js'),
    import('yaml'),
  ]);
  await checked(source);
  return print(stringify(summarize(config), { lineWidth: 0 }));
}

/** The key alone goes to standard output, for a pipe. */
async function createKey(): Promise<number> {
  const config = loadConfig();
  const { createAdminKey } = await import('./create-admin-key.js');
  const key = await withDatabase(config, () => createAdminKey(config));
  process.stderr.write('A new admin key, shown this once; the others stay valid until revoked:\n');
  return print(`${key}\n`);
}

/** Rejects with a sentence where the database is at fault. */
async function withDatabase<T>({ database }: AppConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { plainSqliteTrouble } = await import('./database/sqlite-trouble.js');
    throw plainSqliteTrouble(thrown, database.url);
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** What an operator needs: the sentence of an error that was foreseen, the stack of a programming error. */
function describe(error: unknown, command: string): string {
  if (!(error instanceof Error) || error instanceof ConfigError) return messageOf(error);
  const bug = error.name !== 'Error' && error.name !== 'HubError';
  const what = command === '' ? 'The hub could not start' : `The command ${command} failed`;
  return `${what}: ${bug ? error.stack : messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
