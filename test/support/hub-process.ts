import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from './hub-client.js';
import { TEST_SECRET_KEY } from './secret-box.js';
import { copyMigratedSqlite } from './sqlite-template.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const BUNDLED = `${ROOT}dist/bundled/main.js`;
/** The built hub as it is installed. */
export const INSTALLED_PROGRAM = `${ROOT}dist/main.js`;
/** The built hub, in one file where `npm test` has made one: that starts sooner. */
export const HUB_PROGRAM = existsSync(BUNDLED) ? BUNDLED : INSTALLED_PROGRAM;
/** What Node gets before the program, as by `npm start`. */
const NODE_OPTIONS = startOptions();
const KEY = 'admin-key-of-the-tests-0123456789';

export interface HubProcessOptions {
  /** Default {@link HUB_PROGRAM}. */
  readonly program?: string;
  /** Environment variables of the hub (`A2A_HUB__TASKS__LEASE` and so on). */
  readonly environment?: Record<string, string>;
  /** Default: a migrated SQLite file of its own, removed at close. On PostgreSQL it is up to date already. */
  readonly databaseUrl?: string;
  /** Listens here; default any free port (kept over {@link HubProcess.restart}). */
  readonly port?: number;
}

/** The built hub as a process of its own, to be killed and started again. */
export class HubProcess extends HubClient {
  /** Everything it has logged. */
  output = '';
  private child: ChildProcess | undefined;

  private constructor(
    private readonly environment: Record<string, string>,
    private readonly directory: string | undefined,
    private readonly program: string,
  ) {
    super('', KEY);
  }

  static async start(options: HubProcessOptions = {}): Promise<HubProcess> {
    const directory = options.databaseUrl ? undefined : await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    if (directory) await copyMigratedSqlite(join(directory, 'hub.db'));
    const hub = new HubProcess(
      {
        A2A_HUB__SERVER__HOST: '127.0.0.1',
        A2A_HUB__SERVER__PORT: String(options.port ?? 0),
        A2A_HUB__DATABASE__URL: options.databaseUrl ?? `sqlite:${join(directory!, 'hub.db')}`,
        A2A_HUB__AUTH__ADMIN_KEY: KEY,
        A2A_HUB__SECRETS__KEYS: `${TEST_SECRET_KEY.id}:${TEST_SECRET_KEY.key}`,
        A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
        A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
        A2A_HUB__PUSH__TRUSTED_HOSTS: '127.0.0.0/8,localhost',
        A2A_HUB__PUSH__SHOW_ALLOWED_ANSWERS: 'true',
        ...options.environment,
      },
      directory,
      options.program ?? HUB_PROGRAM,
    );
    await hub.restart();
    return hub;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Starts the process (again) at the same address and waits until it is ready. */
  async restart(deadlineMs = 120_000): Promise<void> {
    const child = spawn(process.execPath, [...NODE_OPTIONS, this.program], {
      cwd: ROOT,
      env: this.variables(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const from = this.output.length;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    const end = performance.now() + deadlineMs;
    while (!(await this.ready(from))) {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`the hub did not start (exit code ${child.exitCode}):\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    this.environment['A2A_HUB__SERVER__PORT'] = new URL(this.url).port;
  }

  private variables(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], ...this.environment };
  }

  /** Sends SIGHUP. */
  hangUp(): void {
    this.child?.kill('SIGHUP');
  }

  /** `kill -9`; resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.signal('SIGKILL');
  }

  /** SIGTERM; resolves with its exit code. */
  async terminate(): Promise<number | null> {
    await this.signal('SIGTERM');
    return this.child!.exitCode;
  }

  /** Stops the hub and removes its database, unless the test brought one. */
  async close(): Promise<void> {
    await this.disconnect();
    await this.kill();
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }

  private async ready(from: number): Promise<boolean> {
    if (this.environment['A2A_HUB__SERVER__PORT'] === '0' || this.url === '') {
      const url = /listening at (http:\S+)\n/.exec(this.output.slice(from))?.[1];
      if (!url) return false;
      this.url = url;
    }
    try {
      return (await fetch(`${this.url}/health/ready`)).ok;
    } catch {
      return false;
    }
  }

  private async signal(name: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(name);
    await gone;
  }
}

/** Starts the built hub (run `npm run build` before) and waits until it is ready. */
export function startHubProcess(options: HubProcessOptions = {}): Promise<HubProcess> {
  return HubProcess.start(options);
}

function startOptions(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(1, -1);
}
