import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { HUB_PROGRAM } from './hub-process.js';

const ROOT = new URL('../../', import.meta.url).pathname;

/** A service of compose.yaml, as far as the tests look at it. */
export interface ComposeService {
  readonly build?: { readonly context: string; readonly target: string };
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

/** The services of compose.yaml with `variables` filled in, as `docker compose` does it. */
export function composeServices(
  variables: Readonly<Record<string, string>>,
): Record<string, ComposeService> {
  const text = readFileSync(`${ROOT}compose.yaml`, 'utf8');
  const fill = (value: string): string =>
    value.replace(
      /\$\{(\w+):-([^}]*)\}/g,
      (_whole, name: string, otherwise: string) => variables[name] || otherwise,
    );
  // Values are filled in once they are read: one that is empty is an empty text.
  const filled: unknown = parse(
    text,
    (_key, value: unknown) => (typeof value === 'string' ? fill(value) : value),
    { merge: true },
  );
  return (filled as { services: Record<string, ComposeService> }).services;
}

/** A stage of the Dockerfile, as far as it says how a container of it runs. */
export interface ImageStage {
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** The stages of the Dockerfile by name. */
export function imageStages(): Record<string, ImageStage> {
  const text = readFileSync(`${ROOT}Dockerfile`, 'utf8').replaceAll('\\\n', ' ');
  const stages = text.split(/^FROM /m).slice(1);
  return Object.fromEntries(
    stages.map((stage) => {
      const name = /^\S+ AS (\S+)/.exec(stage)?.[1] ?? '';
      const pairs = [...stage.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
        [...line.matchAll(/(\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]),
      );
      const command = /^CMD (\[.*\])$/m.exec(stage)?.[1] ?? '[]';
      return [
        name,
        {
          environment: Object.fromEntries(pairs) as Record<string, string>,
          command: JSON.parse(command) as string[],
        },
      ];
    }),
  );
}

/** One service of compose.yaml as a process of this machine. */
export class ComposeProcess {
  output = '';
  private readonly exited: Promise<number | null>;

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once('exit', resolve));
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  /**
   * Starts what the container would run, with the variables of its image and of its service; `replace` makes of each
   * value what it is on this machine.
   */
  static start(service: ComposeService, replace: (value: string) => string): ComposeProcess {
    const stage = imageStages()[service.build?.target ?? ''];
    if (stage === undefined) throw new Error(`${service.image} is built from no stage`);
    const [program, ...args] = service.command ?? stage.command;
    if (program !== 'node') throw new Error(`${service.image} runs ${program}`);
    const variables = Object.entries({ ...stage.environment, ...service.environment });
    const environment = Object.fromEntries(variables.map(([key, value]) => [key, replace(value)]));
    return new ComposeProcess(
      spawn(
        process.execPath,
        args.map((argument) => (argument === 'dist/main.js' ? HUB_PROGRAM : argument)),
        {
          cwd: ROOT,
          env: { PATH: process.env['PATH'], A2A_HUB__SERVER__PORT: '0', ...environment },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ),
    );
  }

  /** The address it says it listens at. */
  async listening(deadlineMs = 60_000): Promise<string> {
    const end = performance.now() + deadlineMs;
    for (;;) {
      const url = /listening (?:at|on) (http:\S+)\n/.exec(this.output)?.[1];
      if (url !== undefined) return url;
      if (this.child.exitCode !== null || performance.now() > end) {
        throw new Error(`it did not start (exit code ${this.child.exitCode}):\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Its exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    return this.exited;
  }

  /** SIGTERM, as `docker compose stop` sends it; its exit code. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    return this.exited;
  }
}
