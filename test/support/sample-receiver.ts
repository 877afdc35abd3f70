import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import type { ReceivedWebhook } from './webhook-sink.js';

const FOLDER = new URL('../../examples/receivers/', import.meta.url).pathname;

const OF_THE_CONNECTION = ['host', 'connection', 'content-length'];

/** Whether this machine can run the sample in Python. */
export function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0;
}

/** One line that a sample prints of an event. */
export interface SampleLine {
  readonly kind: string;
  readonly isMissing: boolean;
  readonly taskId: string;
  readonly sequence: number;
  readonly deliveryNumber: number;
  readonly attempt: number;
  readonly what: string;
  readonly state?: string | null;
}

/** A program of examples/receivers, as it stands, in a process of its own. */
export class SampleReceiver {
  readonly lines: SampleLine[] = [];
  /** What it has printed of trouble. */
  errors = '';
  url = '';
  private readonly watchers = new Set<() => void>();

  private constructor(private readonly child: ChildProcess) {}

  /** Starts it on a free port; resolves when it listens. */
  static async start(file: string, options: readonly string[]): Promise<SampleReceiver> {
    const program = file.endsWith('.py') ? 'python3' : process.execPath;
    const child = spawn(program, [FOLDER + file, '--port', '0', ...options]);
    const sample = new SampleReceiver(child);
    child.stderr.on('data', (chunk: Buffer) => (sample.errors += chunk.toString()));
    const out = createInterface({ input: child.stdout });
    const [first] = (await Promise.race([
      once(out, 'line'),
      once(child, 'exit').then(() => ['']),
    ])) as [string];
    sample.url = first.replace('listening at ', '');
    if (!sample.url.startsWith('http://')) throw new Error(`${file}: ${first} ${sample.errors}`);
    out.on('line', (line) => {
      sample.lines.push(JSON.parse(line) as SampleLine);
      for (const watcher of [...sample.watchers]) watcher();
    });
    return sample;
  }

  /** Hands a request on as it is, or with other headers or bytes; the status of the answer. */
  async post(
    { headers, raw }: Pick<ReceivedWebhook, 'headers' | 'raw'>,
    changed: { readonly headers?: Record<string, string>; readonly raw?: Buffer } = {},
  ): Promise<number> {
    const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
    const answer = await request(this.url, {
      method: 'POST',
      headers: { ...Object.fromEntries(kept), ...changed.headers },
      body: changed.raw ?? raw,
    });
    await answer.body.dump();
    return answer.statusCode;
  }

  /** Waits until so many lines fit; rejects after `deadlineMs`, saying what was printed. */
  async waitFor(
    count: number,
    fits: (line: SampleLine) => boolean,
    deadlineMs = 20_000,
  ): Promise<SampleLine[]> {
    const found = (): SampleLine[] => this.lines.filter(fits);
    if (found().length >= count) return found();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.watchers.delete(look);
      };
      const look = (): void => {
        if (found().length < count) return;
        stop();
        resolve(found());
      };
      const timer = setTimeout(() => {
        stop();
        const printed = this.lines.map((line) => JSON.stringify(line)).join('\n');
        reject(new Error(`no such lines in ${deadlineMs} ms:\n${printed}\n${this.errors}`));
      }, deadlineMs);
      this.watchers.add(look);
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill();
    await once(this.child, 'exit');
  }
}
