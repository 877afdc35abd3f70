import { Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { ScriptedAgent } from './scripted-agent.js';
import { type Hub, startHub } from './app.js';
import type { HostileRequest } from './hostile.js';
import type { JsonObject } from './json.js';

/** What a hostile client got. */
export interface HostileAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request that takes longer hangs. */
const DEADLINE_MS = 15_000;
/** File names, lines and columns as stack traces have them, and words of the inside. */
const LEAK = /\bat .+:\d+:\d+|node_modules|\/src\/|\/dist\/|SQLITE_|UNIQUE constraint|TypeError/;

/** A hub with one quick agent, and what must be true of it whatever it is sent. */
export class HostileHub {
  private readonly http = new HttpAgent({ keepAlive: true });
  /** Tasks that some answer showed to the client. */
  readonly shown = new Set<string>();

  private constructor(
    readonly hub: Hub,
    private readonly agent: ScriptedAgent,
    readonly key: string,
    /** A task of the client, for requests that name one. */
    readonly taskId: string,
  ) {
    this.shown.add(taskId);
  }

  static async start(): Promise<HostileHub> {
    const agent = await ScriptedAgent.start({
      handlers: {
        SendStreamingMessage: (call) => call.event({ task: done(call.message) }).end(),
        SendMessage: (call) => call.result({ task: done(call.message) }),
      },
    });
    const hub = await startHub({
      config: { grpc: { port: -1 }, routing: { defaultAgent: 'quick' } },
    });
    await hub.registerAgent(agent.url, { id: 'quick' });
    const { task } = await hub.send('the first one');
    return new HostileHub(hub, agent, await hub.key(), String((task as JsonObject)['id']));
  }

  async close(): Promise<void> {
    this.http.destroy();
    await this.hub.close();
    await this.agent.close();
  }

  /** Sends it and says what is wrong with the answer: nothing, when it is as it must be. */
  async faultsOf(hostile: HostileRequest): Promise<string[]> {
    let answer: HostileAnswer;
    try {
      answer = await this.send(hostile);
    } catch (error) {
      return [`no answer: ${String(error)}`];
    }
    this.note(answer.text);
    return [
      ...(answer.status >= 500 ? [`HTTP ${answer.status}: ${answer.text.slice(0, 300)}`] : []),
      ...(answer.text.includes('-32603') ? [`an internal error: ${answer.text}`] : []),
      ...this.leaksIn(answer.text),
    ];
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

  /** What is wrong with the tasks that are stored. */
  faultsOfStorage(): string[] {
    const database = new BetterSqlite3(this.hub.databaseUrl.replace(/^sqlite:/, ''), {
      readonly: true,
    });
    try {
      const ids = database.prepare('SELECT id FROM tasks').pluck().all() as string[];
      const gaps = database
        .prepare(
          `SELECT t.id FROM tasks t
           LEFT JOIN task_events e ON e.task_id = t.id
           GROUP BY t.id, t.seq
           HAVING COUNT(e.seq) <> t.seq OR MIN(e.seq) <> 1 OR MAX(e.seq) <> t.seq`,
        )
        .pluck()
        .all() as string[];
      const orphans = database
        .prepare('SELECT id FROM tasks WHERE id NOT IN (SELECT task_id FROM delegations)')
        .pluck()
        .all() as string[];
      return [
        ...ids.filter((id) => !this.shown.has(id)).map((id) => `${id} was made and never shown`),
        ...gaps.map((id) => `${id} has no whole log`),
        ...orphans.map((id) => `${id} is with no agent`),
      ];
    } finally {
      database.close();
    }
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

/** The hub's task ids as any binding's answers show them. */
const TASK_ID = /\b([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b/g;

function done(message: JsonObject): JsonObject {
  return {
    id: `task-of-${String(message['messageId']).slice(0, 40)}`,
    contextId: String(message['contextId'] || 'context'),
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'done' }] }],
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  return text;
}
