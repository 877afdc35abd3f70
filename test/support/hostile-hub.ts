import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import Database from 'better-sqlite3';
import { type Hub, startHub } from './app.js';
import type { HostileRequest } from './hostile.js';
import { HoldingAgent } from './hostile-agent.js';
import { HOOK_PLACE, TASK_PLACES, type TaskPlace } from './hostile-templates.js';
import { type HttpListener, listenOnLoopback } from './http-listener.js';
import { eventually } from './eventually.js';
import type { JsonObject } from './json.js';

/** What a hostile client got. */
export interface HostileAnswer {
  readonly status: number;
  readonly text: string;
}

type Tasks = Readonly<Record<TaskPlace, string>>;

/** A request that takes longer hangs. */
const DEADLINE_MS = 5000;
/** As many requests are under way at once. */
const CONCURRENCY = 8;
/** After so many requests the open tasks are new ones, so that they do not grow without end. */
const USES = 50;
/** How long a good request about a task at work waits for its end, which does not come. */
const BLOCKING_WAIT_MS = 20;
/** No more faults than these are told. */
const MOST_FAULTS = 10;

/** File names, lines and columns as stack traces have them, and words of the inside. */
const LEAK =
  /\bat .+:\d+:\d+|node_modules|\/src\/|\/dist\/|SQLITE_|constraint failed|QueryFailedError|TypeError|RangeError|Cannot read propert|Cannot convert|is not a function|no such (?:table|column)/;

/** The hub's task ids as any door's answers show them. */
const TASK_ID = /\b([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b/g;

/** The numbers of A2A's `TaskState`. */
const COMPLETED = 3;
const CANCELED = 5;
const STATES = { working: 2, asking: 6 } as const;

/**
 * A hub with one agent and a client that has a task of each kind (at work, waiting for an answer, at
 * its end), and what must be true of them whatever the hub is sent.
 */
export class HostileHub {
  private readonly http = new HttpAgent({ keepAlive: true });
  /** Tasks that some answer showed to the client. */
  readonly shown = new Set<string>();
  /** The tasks that were begun to stay open, with their state as long as nobody cancels them. */
  private readonly held = new Map<string, { messageId: string; state: number }>();
  private tasks: Promise<Tasks>;
  private uses = 0;

  private constructor(
    readonly hub: Hub,
    private readonly agent: HoldingAgent,
    private readonly webhook: HttpListener,
    readonly key: string,
  ) {
    this.tasks = this.freshTasks();
  }

  static async start(): Promise<HostileHub> {
    const agent = await HoldingAgent.start();
    const webhook = await listenOnLoopback((received, response) => {
      received.resume();
      response.end();
    });
    const hub = await startHub({
      config: {
        grpc: { port: -1 },
        routing: { defaultAgent: 'quick' },
        tasks: { blockingWaitMs: BLOCKING_WAIT_MS },
      },
    });
    await hub.registerAgent(agent.url, { id: 'quick' });
    return new HostileHub(hub, agent, webhook, await hub.key());
  }

  async close(): Promise<void> {
    this.http.destroy();
    await this.hub.close();
    await this.agent.close();
    await this.webhook.close();
  }

  /**
   * Hands every request to `faultsOf`, some at once. What is wrong afterwards: answers, with the
   * requests they answer; what is stored; a hub that no longer does what it is asked properly.
   */
  async faultsAfter<T>(
    requests: Iterable<T>,
    faultsOf: (request: T) => Promise<string[]>,
  ): Promise<string[]> {
    const faults: string[] = [];
    const iterator = requests[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        if (faults.length >= MOST_FAULTS) return;
        const found = await faultsOf(next.value);
        faults.push(...found.map((fault) => `${fault} <- ${inShort(next.value)}`));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return [...faults, ...(await this.faultsOfService()), ...(await this.faultsOfStorage())];
  }

  /** The bytes, with tasks and the webhook in the places that templates leave for them. */
  async inPlace(bytes: Buffer): Promise<Buffer> {
    const before = bytes.toString('latin1');
    const text = before.replaceAll(HOOK_PLACE, `${this.webhook.url}/hook`);
    const places = (Object.keys(TASK_PLACES) as TaskPlace[]).filter((place) =>
      text.includes(TASK_PLACES[place]),
    );
    if (places.length === 0) return text === before ? bytes : Buffer.from(text, 'latin1');
    const tasks = await this.tasksNow();
    const named = places.reduce(
      (done, place) => done.replaceAll(TASK_PLACES[place], tasks[place]),
      text,
    );
    return Buffer.from(named, 'latin1');
  }

  /** Sends it and says what is wrong with the answer: nothing, when it is as it must be. */
  async faultsOf(hostile: HostileRequest): Promise<string[]> {
    let answer: HostileAnswer;
    try {
      answer = await this.answerTo(hostile);
    } catch (error) {
      return [`no answer: ${String(error)}`];
    }
    return [
      ...(answer.status >= 500 ? [`HTTP ${answer.status}: ${answer.text.slice(0, 300)}`] : []),
      ...(answer.text.includes('-32603') ? [`an internal error: ${answer.text}`] : []),
      ...this.leaksIn(answer.text),
    ];
  }

  /** Sends it, with tasks and the webhook in their places; of a stream, the first event. */
  async answerTo(hostile: HostileRequest): Promise<HostileAnswer> {
    const { path, body } = hostile;
    const answer = await this.send({
      ...hostile,
      path: (await this.inPlace(Buffer.from(path, 'latin1'))).toString('latin1'),
      body: body && (await this.inPlace(body)),
    });
    this.note(answer.text);
    return answer;
  }

  /** Keeps the ids of the tasks that an answer shows. */
  note(answer: string): void {
    for (const [, id] of answer.matchAll(TASK_ID)) this.shown.add(id!);
  }

  /** What an answer tells of the hub's inside. */
  leaksIn(text: string): string[] {
    return [
      ...(LEAK.test(text) ? [`it shows the inside: ${text.slice(0, 300)}`] : []),
      ...('polluted' in {} ? ['it changed the prototype of all objects'] : []),
    ];
  }

  /** What is wrong with a hub that is asked properly. */
  private async faultsOfService(): Promise<string[]> {
    try {
      await this.freshTasks();
      return [];
    } catch (error) {
      return [`the hub no longer serves: ${String(error)}`];
    }
  }

  /** What is wrong with the tasks that are stored, once all that was accepted has come to its end. */
  private async faultsOfStorage(): Promise<string[]> {
    const path = this.hub.databaseUrl.replace(/^sqlite:/, '');
    const database = new Database(path, { readonly: true });
    try {
      await eventually(() => {
        const open = this.wronglyOpen(database);
        if (open.length > 0) throw new Error(open.join('\n'));
      }, 10_000).catch(() => undefined);
      return [...this.wronglyOpen(database), ...this.wronglyStored(database)];
    } finally {
      database.close();
    }
  }

  /** Tasks that ended though they should not, that did not though they should, or that failed. */
  private wronglyOpen(database: Database.Database): string[] {
    const rows = database.prepare('SELECT id, state FROM tasks').all() as {
      id: string;
      state: number;
    }[];
    return rows
      .filter(({ id, state }) => {
        const held = this.held.get(id);
        if (!held) return state !== COMPLETED && state !== CANCELED;
        // A cancel is no fault: whoever names a task rightly may end it.
        return state !== CANCELED && state !== held.state;
      })
      .map(({ id, state }) => `${id} is in the state ${state}`);
  }

  private wronglyStored(database: Database.Database): string[] {
    const found = (sql: string): string[] => database.prepare(sql).pluck().all() as string[];
    const unseen = found('SELECT id FROM tasks').filter((id) => !this.shown.has(id));
    const gaps = found(
      `SELECT t.id FROM tasks t
       LEFT JOIN task_events e ON e.task_id = t.id
       GROUP BY t.id, t.seq
       HAVING COUNT(e.seq) <> t.seq OR MIN(e.seq) <> 1 OR MAX(e.seq) <> t.seq`,
    );
    const orphans = found('SELECT id FROM tasks WHERE id NOT IN (SELECT task_id FROM delegations)');
    const stray = found(
      `SELECT task_id FROM delegations WHERE task_id NOT IN (SELECT id FROM tasks)
       UNION SELECT task_id FROM task_events WHERE task_id NOT IN (SELECT id FROM tasks)`,
    );
    const texts = [
      ...found("SELECT body FROM task_events WHERE kind = 'status'"),
      ...found('SELECT reason FROM delegations WHERE reason IS NOT NULL'),
    ];
    return [
      ...unseen.map((id) => `${id} was made and never shown`),
      ...gaps.map((id) => `${id} has no whole log`),
      ...orphans.map((id) => `${id} is with no agent`),
      ...stray.map((id) => `${id} is half stored`),
      ...texts.filter((text) => LEAK.test(text)).map((text) => `a status says: ${text}`),
    ].slice(0, MOST_FAULTS);
  }

  /** The tasks to name in the next request; one that was canceled is replaced. */
  private async tasksNow(): Promise<Tasks> {
    const tasks = await this.tasks;
    const isCanceled = ([tasks.working, tasks.asking] as const).some((id) =>
      this.agent.isCanceled(this.held.get(id)!.messageId),
    );
    if (++this.uses > USES || isCanceled) {
      this.uses = 0;
      this.tasks = this.freshTasks();
    }
    return this.tasks;
  }

  /** Begins a task of each kind; those before it that are still open are canceled. */
  private async freshTasks(): Promise<Tasks> {
    const before = [...this.held].filter(([, { messageId }]) => !this.agent.isCanceled(messageId));
    const [working, asking, ended] = await Promise.all([
      this.begin('working'),
      this.begin('asking'),
      this.begin('ended'),
    ]);
    for (const [id] of before) {
      await this.hub.rpc('CancelTask', { id }).catch(() => undefined);
    }
    return { working, asking, ended };
  }

  private async begin(place: TaskPlace): Promise<string> {
    const messageId = randomUUID();
    const message = { messageId, role: 'ROLE_USER', parts: [{ text: place }] };
    const configuration = { returnImmediately: place === 'working' };
    const { task } = (await this.hub.rpc('SendMessage', { message, configuration })) as JsonObject;
    const id = String(task['id']);
    this.shown.add(id);
    if (place !== 'ended') {
      this.held.set(id, { messageId, state: STATES[place] });
      await eventually(() => this.agent.taskOf(messageId));
    }
    return id;
  }

  /** Over `node:http`, which lets more pass than better clients do. */
  private send({ method, path, headers, body }: HostileRequest): Promise<HostileAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(this.hub.url + path, {
        method,
        agent: this.http,
        headers: {
          authorization: `Bearer ${this.key}`,
          // Left out with GET and DELETE, whose bodies would then be taken for the next request.
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      sent.once('error', (error) => {
        // What came before on this connection may have made the server close it.
        if (sent.reusedSocket) this.send({ method, path, headers, body }).then(resolve, reject);
        else reject(error);
      });
      sent.once('response', (answer) => {
        textOf(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, text }),
          (error: unknown) => reject(error as Error),
        );
      });
      sent.end(body);
    });
  }
}

/** A request as a person may read it, or send it again. */
function inShort(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    const bytes = member as { type?: unknown; data?: unknown } | null;
    return bytes?.type === 'Buffer' ? Buffer.from(bytes.data as number[]).toString() : member;
  });
  return text.length > 4000 ? `${text.slice(0, 4000)} …` : text;
}

/** The body; of a stream of events, which may stay open, the first event. */
async function textOf(answer: IncomingMessage): Promise<string> {
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk as string;
    if (isStream && /^data:.*\n\n/m.test(text)) break;
  }
  return text;
}
