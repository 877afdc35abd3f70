/**
 * With modules of its own: its many readers reconnect for as long as the hub is away.
 *
 * @jest-environment node
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { artifactTexts, numbersTo } from '../support/builders.js';
import { startPostgres, startSqlite } from '../support/databases.js';
import { HUB_PROGRAM, INSTALLED_PROGRAM } from '../support/hub-process.js';
import type { JsonObject } from '../support/json.js';
import { CHUNKS_ARTIFACT } from '../support/live-task.js';
import { ResumingReader } from '../support/resuming-reader.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { casesOf, IS_THOROUGH } from '../support/thorough.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const TASKS = casesOf(60, 120);
const PROGRAM = IS_THOROUGH ? INSTALLED_PROGRAM : HUB_PROGRAM;
const CHUNKS = 12;
/** Before the second kill no task comes further, so that every task lives through both. */
const CHUNKS_BEFORE_KILLS = 8;
const CHUNK_EVERY_MS = 400;
const DEADLINE_MS = 120_000;

describe.each([
  ['SQLite', startSqlite],
  ['PostgreSQL', startPostgres],
] as const)('kill -9 on %s', (_name, startDatabase) => {
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let hub: HubProcess;
  let agent: ScriptedAgent;
  let sink: WebhookSink;
  let readers: ResumingReader[];
  let upTo = CHUNKS_BEFORE_KILLS;

  beforeAll(async () => {
    database = await startDatabase();
    agent = await ScriptedAgent.start({
      live: { chunks: CHUNKS, everyMs: CHUNK_EVERY_MS, upTo: () => upTo },
    });
    sink = await WebhookSink.start();
    hub = await startHubProcess({
      program: PROGRAM,
      databaseUrl: await database.migratedUrl(),
      environment: {
        // What the dead process held is free again soon.
        A2A_HUB__TASKS__LEASE: '2s',
        A2A_HUB__PUSH__TIMEOUT: '1s',
        A2A_HUB__LOG__LEVEL: 'warn',
      },
    });
    await hub.registerAgent(agent.url, { id: 'counter' });
    await hub.key();
    readers = await sendThroughTwoKills();
  }, 2 * DEADLINE_MS);

  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent?.close(), sink?.close()]);
    await database?.stop();
  });

  /** Sends all messages, kills the hub twice while all tasks run, and reads every stream to its end. */
  async function sendThroughTwoKills(): Promise<ResumingReader[]> {
    const all = Array.from(
      { length: TASKS },
      (_, index) =>
        new ResumingReader(hub, `count ${index}`, {
          message: { metadata: { agentId: 'counter' } },
          configuration: { taskPushNotificationConfig: { url: sink.url(`/${index}`) } },
        }),
    );
    const reading = Promise.all(all.map((reader) => reader.readToEnd(DEADLINE_MS)));
    reading.catch(() => undefined);
    await everyoneHas(all, 1, 0);
    await hub.kill();
    await hub.restart();
    await everyoneHas(all, 4, 1);
    await hub.kill();
    upTo = CHUNKS;
    await hub.restart();
    await reading;
    await sink.until((told) => told.filter(isCompleted).length >= TASKS, DEADLINE_MS);
    return all;
  }

  it('killed the hub twice while every task was running', () => {
    expect(readers.map(({ resumed }) => resumed >= 2)).toEqual(readers.map(() => true));
  });

  it('completes every task, and asked the agent once for each', () => {
    expect(readers.map(({ state }) => state)).toEqual(readers.map(() => 'TASK_STATE_COMPLETED'));
    expect(agent.tasks.size).toBe(TASKS);
    expect(agent.callsOf('SendStreamingMessage')).toHaveLength(TASKS);
  });

  it('shows each stream every chunk once and in order', () => {
    for (const reader of readers) expect(reader.chunks).toEqual(numbersTo(CHUNKS));
    for (const { events } of readers) {
      const ids = events.map(({ id }) => Number(id));
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    }
  });

  it('shows GetTask every chunk once and in order', async () => {
    for (const { taskId } of readers) {
      const task = await hub.getTask(taskId!);
      expect(artifactTexts(task, CHUNKS_ARTIFACT)).toEqual(numbersTo(CHUNKS));
    }
  });

  it('tells each webhook every chunk once and in order, without a gap', () => {
    for (let index = 0; index < TASKS; index++) {
      const told = onceEach(sink.at(`/${index}`));
      expect(told.map(({ headers }) => Number(headers['a2a-hub-delivery-number']))).toEqual(
        told.map((_, at) => at + 1),
      );
      const sequences = told.map(({ headers }) => Number(headers['a2a-hub-sequence']));
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
      const artifacts = told.flatMap(({ json }) => (json as JsonObject).artifactUpdate ?? []);
      expect(artifacts).toHaveLength(1);
      const parts = (artifacts[0] as JsonObject).artifact.parts as JsonObject[];
      expect(parts.map(({ text }) => String(text))).toEqual(numbersTo(CHUNKS));
      expect(isCompleted(told.at(-1)!)).toBe(true);
    }
  });
});

/** One that was quick before the kill may have its chunks and yet have to come back. */
async function everyoneHas(
  readers: readonly ResumingReader[],
  chunks: number,
  resumed: number,
): Promise<void> {
  const isLate = (reader: ResumingReader): boolean =>
    reader.chunks.length < chunks || reader.resumed < resumed;
  const end = performance.now() + DEADLINE_MS;
  while (readers.some(isLate)) {
    if (performance.now() > end) {
      const late = readers.filter(isLate);
      throw new Error(`${late.length} streams have not shown ${chunks} chunks`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** At least once: the same webhook-id may come twice, but then with the same bytes. */
function onceEach(told: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  const first = new Map<string, ReceivedWebhook>();
  for (const webhook of told) {
    const id = String(webhook.headers['webhook-id']);
    const known = first.get(id);
    if (known) expect(webhook.raw.equals(known.raw)).toBe(true);
    else first.set(id, webhook);
  }
  return [...first.values()];
}

function isCompleted({ json }: ReceivedWebhook): boolean {
  return (json as JsonObject).statusUpdate?.status.state === 'TASK_STATE_COMPLETED';
}
