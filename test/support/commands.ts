import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { INSTALLED_PROGRAM } from './hub-process.js';

const RUNNER = new URL('./command-runner.mjs', import.meta.url).pathname;
const TIMEOUT_MS = 60_000;

/** How a command of the hub has ended by itself. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;

/** Runs the built hub, as it is installed, as a process of its own until it ends by itself. */
export function runProgram(cwd: string, args: string[], environment: Variables): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [INSTALLED_PROGRAM, ...args],
      { cwd, env: variables(environment), timeout: TIMEOUT_MS },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/**
 * Commands of the built hub as the program runs them, but in one process one after the other: a process for each would
 * spend its time on being started.
 */
export class Commands {
  private stdout = '';
  private stderr = '';
  private last: Promise<unknown> = Promise.resolve();

  private constructor(private readonly runner: ChildProcess) {
    runner.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    runner.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  static start(cwd: string): Commands {
    return new Commands(fork(RUNNER, [], { cwd, env: variables({}), execArgv: [], silent: true }));
  }

  run(args: string[], environment: Variables = {}): Promise<Ended> {
    const ended = this.last.then(() => this.runNow(args, environment));
    this.last = ended.catch(() => undefined);
    return ended;
  }

  private async runNow(args: string[], environment: Variables): Promise<Ended> {
    const mark = `\n${randomUUID()}\n`;
    this.stdout = this.stderr = '';
    this.runner.send({ args, environment: variables(environment), mark });
    const end = performance.now() + TIMEOUT_MS;
    while (this.stdout.split(mark).length < 3 || !this.stderr.endsWith(mark)) {
      if (this.runner.exitCode !== null || performance.now() > end) {
        throw new Error(
          `the command ${args.join(' ')} has not ended:\n${this.stdout}${this.stderr}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [stdout = '', code] = this.stdout.split(mark);
    return { code: Number(code), stdout, stderr: this.stderr.slice(0, -mark.length) };
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.runner.once('exit', resolve));
    if (this.runner.exitCode === null && this.runner.kill('SIGKILL')) await gone;
  }
}

function variables(environment: Variables): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...environment };
}
