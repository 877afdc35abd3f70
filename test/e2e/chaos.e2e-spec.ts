import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubProcess, startHubProcess, stateOf } from '../support/app.js';
import { ChaosTask, type ChaosWebhook } from '../support/chaos/chaos-client.js';
import { behaviours, Receiver } from '../support/chaos/receivers.js';
import { faultsOf } from '../support/chaos/verdict.js';
import { startPostgres, startSqlite } from '../support/databases.js';
import { Random } from '../support/fleet/random.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** `npm run chaos` asks for more of everything. */
const TASKS = Number(process.env['CHAOS_TASKS'] ?? 40);
const WEBHOOKS = Number(process.env['CHAOS_WEBHOOKS'] ?? 4 * TASKS);
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 5);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const startDatabase = process.env['CHAOS_DATABASE'] === 'postgres' ? startPostgres : startSqlite;
/** By `npm run chaos`, which shows how far it is. */
const IS_SHOWN = process.env['CHAOS_TASKS'] !== undefined;
const CHUNKS = 5;
/** Tasks whose messages are under way at the same time. */
const AT_ONCE = 16;
const DEADLINE_MS = 400_000 + 400 * TASKS;
const RESOLVER = new URL('../support/chaos/resolver.mjs', import.meta.url).pathname;

describe(`${WEBHOOKS} webhooks of ${TASKS} tasks, and a hub killed ${KILLS} times (seed ${SEED})`, () => {
  const deadline = performance.now() + DEADLINE_MS;
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let hub: HubProcess;
  let agent: ScriptedAgent;
  let trap: WebhookSink;
  let receivers: Receiver[];
  let tasks: ChaosTask[];
  let records: Map<string, { config: JsonObject; deliveries: JsonObject[] }>;
  const figures: Record<string, unknown> = {};

  beforeAll(async () => {
    const began = performance.now();
    [database, agent, trap] = await Promise.all([
      startDatabase(),
      ScriptedAgent.start({ live: { chunks: CHUNKS, everyMs: 60 } }),
      WebhookSink.start(),
    ]);
    receivers = await Promise.all(
      behaviours(trap.url('/trap')).map((each) => Receiver.start(each)),
    );
    hub = await startHubProcess({
      databaseUrl: await database.migratedUrl(),
      environment: { ...SETTINGS, NODE_OPTIONS: `--import=${RESOLVER}` },
    });
    await hub.registerAgent(agent.url, { id: 'counter' });
    await hub.key();
    tasks = planned();
    const sending = beginAll();
    sending.catch(() => undefined);
    figures['ms from a restart to the next request'] = await killWhileItWorks();
    await sending;
    say(`all messages are sent; ${requests()} requests`);
    await nothingWaits();
    records = await readRecords();
    figures['seconds'] = Math.round((performance.now() - began) / 100) / 10;
    report();
  }, DEADLINE_MS + 60_000);

  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent, trap, ...(receivers ?? [])].map((each) => each?.close()));
    await database?.stop();
  });

  it('tells every healthy receiver everything in order; all else ends with its reason', () => {
    const received = new Map(receivers.flatMap((each) => [...each.received()]));
    const faults = tasks.flatMap((task) =>
      task.webhooks.flatMap((webhook) =>
        faultsOf(
          webhook,
          task,
          received.get(webhook.name) ?? [],
          records.get(webhook.name)!,
          CHUNKS,
        ).map((fault) => `${webhook.name}, ${webhook.receiver.behaviour.name}: ${fault}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('was well told and badly told', () => {
    for (const { behaviour, count } of receivers) {
      if (behaviour.answer !== undefined)
        expect([behaviour.name, count > 0]).toEqual([behaviour.name, true]);
    }
  });

  it('brought most tasks to their end, for all the kills', () => {
    const completed = tasks.filter(({ state }) => state === 'TASK_STATE_COMPLETED');
    expect(completed.length).toBeGreaterThan(TASKS / 2);
  });

  it('follows no redirect', () => {
    expect(trap.received).toEqual([]);
  });

  /** Each kind of receiver as often as the others, which ones on a task by chance. */
  function planned(): ChaosTask[] {
    const random = new Random(SEED);
    const deck: Receiver[] = [];
    const draw = (): Receiver => {
      if (deck.length === 0) deck.push(...random.some(receivers, receivers.length));
      return deck.pop()!;
    };
    const webhooks = Array.from({ length: WEBHOOKS }, (_, index): ChaosWebhook => {
      return { name: `w${index}`, receiver: draw(), isInline: index < TASKS };
    });
    return Array.from({ length: TASKS }, (_, index) => {
      const own = webhooks.filter((_each, at) => at % TASKS === index);
      return new ChaosTask(hub, index, own, deadline);
    });
  }

  async function beginAll(): Promise<void> {
    const waiting = [...tasks];
    const work = async (): Promise<void> => {
      for (let task = waiting.shift(); task; task = waiting.shift()) await task.begin();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** Kills the hub while it is busy: after so much more was sent, again and again. */
  async function killWhileItWorks(): Promise<number[]> {
    const restarts: number[] = [];
    // Well before the end of what the healthy ones are told, which is more than four requests each.
    const step = Math.max(1, Math.floor((WEBHOOKS * 2) / (KILLS + 1)));
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => requests() >= kill * step, `${kill * step} requests`);
      say(`kill ${kill} of ${KILLS}, after ${requests()} requests`);
      await hub.kill();
      const [before, at] = [requests(), performance.now()];
      await hub.restart(60_000);
      await until(() => requests() > before, 'a request after a restart');
      restarts.push(Math.round(performance.now() - at));
    }
    return restarts;
  }

  function requests(): number {
    return receivers.reduce((sum, { count }) => sum + count, 0);
  }

  async function until(
    holds: () => boolean | Promise<boolean>,
    what: string,
    everyMs = 10,
  ): Promise<void> {
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** Every task has ended, and every webhook was told or given up. */
  async function nothingWaits(): Promise<void> {
    for (const task of tasks) {
      const left = Math.max(0, deadline - performance.now());
      task.state = stateOf(await hub.waitForTask(task.taskId, undefined, left));
    }
    for (const { taskId } of tasks) {
      for (const { id } of await pages('configs', `taskId=${taskId}`)) {
        const isOver = (): Promise<boolean> => isAtRest(String(id));
        await until(isOver, `the end of the webhook ${String(id)}`, 100).catch(
          async (late: Error) => {
            const { text } = await hub.admin('GET', `/api/v1/push/configs/${String(id)}`);
            throw new Error(`${late.message}: ${text}`);
          },
        );
      }
    }
  }

  async function isAtRest(id: string): Promise<boolean> {
    const { body } = await hub.admin('GET', `/api/v1/push/configs/${id}`);
    const { pending, entriesBehind } = body.progress;
    return pending === 0 && (entriesBehind === 0 || body.state === 'disabled');
  }

  async function readRecords(): Promise<typeof records> {
    const byName: typeof records = new Map();
    for (const { taskId } of tasks) {
      for (const config of await pages('configs', `taskId=${taskId}`)) {
        byName.set(String(config['configId']), { config, deliveries: [] });
      }
      for (const delivery of await pages('deliveries', `taskId=${taskId}`)) {
        byName.get(String(delivery['configId']))!.deliveries.push(delivery);
      }
    }
    return byName;
  }

  async function pages(list: string, filter: string): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `${filter}&limit=200${cursor ? `&cursor=${cursor}` : ''}`;
      const { status, text, body } = await hub.admin('GET', `/api/v1/push/${list}?${query}`);
      if (status !== 200) throw new Error(`${list}: HTTP ${status} ${text}`);
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    return items;
  }

  function report(): void {
    const deliveries = [...records.values()].flatMap((record) => record.deliveries);
    const ids = receivers.flatMap((each) => [...each.received().values()]);
    const successes = deliveries.filter(({ state }) => state === 'delivered').length;
    const reasons = deliveries.flatMap(({ reason }) =>
      reason ? [String(reason).replace(/w\d+(?=\.inside)/, '…')] : [],
    );
    Object.assign(figures, {
      deliveries: deliveries.length,
      delivered: successes,
      requests: ids.flat().length,
      'dead letters': Object.fromEntries(
        [...new Set(reasons)].map((why) => [why, reasons.filter((each) => each === why).length]),
      ),
      'webhooks disabled': [...records.values()].filter(
        ({ config }) => config['state'] === 'disabled',
      ).length,
    });
    say(JSON.stringify(figures, null, 2));
  }
});

/** The numbers of production, made small enough to see their ends. */
const SETTINGS = {
  A2A_HUB__LOG__LEVEL: 'error',
  A2A_HUB__TASKS__LEASE: '2s',
  A2A_HUB__TASKS__MAX_PER_AGENT: '1000',
  A2A_HUB__PUSH__SCHEDULE: '100ms,200ms,400ms,800ms,1s',
  A2A_HUB__PUSH__TIMEOUT: '1s',
  A2A_HUB__PUSH__RETRY_AFTER_MAX: '200ms',
  A2A_HUB__PUSH__BREAKER__PAUSE: '100ms',
  A2A_HUB__PUSH__BREAKER__MAX_PAUSE: '400ms',
  A2A_HUB__PUSH__DISABLE_AFTER: '15s',
  // Every webhook that nobody can reach is a receiver of its own.
  A2A_HUB__PUSH__UNVERIFIED__PRINCIPAL__RECEIVERS: String(WEBHOOKS),
  A2A_HUB__PUSH__UNVERIFIED__PRINCIPAL__REQUESTS_PER_MINUTE: '1000000',
};

function say(text: string): void {
  if (IS_SHOWN) process.stdout.write(`${text}\n`);
}
