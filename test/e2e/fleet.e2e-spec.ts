import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { startPostgres, startSqlite } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { LEGACY_JSON_RPC } from '../support/fleet/dialects.js';
import { Fleet } from '../support/fleet/fleet.js';
import { FleetClient } from '../support/fleet/fleet-client.js';
import { breaches } from '../support/fleet/invariants.js';
import { COMPOSITES, jobsOf, markOf, type Job } from '../support/fleet/jobs.js';
import { ENDS, type TaskView, verdictOn } from '../support/fleet/verdict.js';
import type { JsonObject } from '../support/json.js';
import type { LiveTask } from '../support/live-task.js';
import { casesOf } from '../support/thorough.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

/** More of them take longer, and find more. */
const TASKS = Number(process.env['FLEET_TASKS'] ?? casesOf(200, 1000));
/** Another one makes other tasks. */
const SEED = Number(process.env['FLEET_SEED'] ?? 1);
/** Tasks whose clients are active at the same time. */
const AT_ONCE = 64;
/** Shares of the tasks that may begin before the first kill, before the second, and after it. */
const RELEASED = [0.4, 0.7, 1] as const;
/** So many tasks are in flight, at the hub and at agents, when the hub is killed, if there are enough. */
const IN_FLIGHT = 25;
/** For one task from its message to its end, kills included. */
const TASK_DEADLINE_MS = 180_000;
/** For the hub to be ready again, on a machine that is busy with the fleet as well. */
const RESTART_DEADLINE_MS = 120_000;
const TIMEOUT_MS = 360_000 + TASKS * 100;

describe.each([
  ['SQLite', startSqlite, TASKS],
  ['PostgreSQL', startPostgres, Math.ceil(TASKS / casesOf(2, 10))],
] as const)('a fleet with faults behind a hub on %s', (_name, startDatabase, tasks) => {
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let fleet: Fleet;
  let sink: WebhookSink;
  let hub: HubProcess;
  let clients: FleetClient[];
  /** Those whose tasks were in flight at a kill. */
  const killed: FleetClient[][] = [];
  /** What the operator and the clients see at the end, in the order of the clients. */
  let outcomes: Outcome[];

  beforeAll(async () => {
    [database, fleet, sink] = await Promise.all([
      startDatabase(),
      Fleet.start(),
      WebhookSink.start(),
    ]);
    hub = await startHubProcess({
      databaseUrl: await database.migratedUrl(),
      environment: {
        // What the dead process held is free again soon.
        A2A_HUB__TASKS__LEASE: '2s',
        A2A_HUB__PUSH__TIMEOUT: '2s',
        A2A_HUB__TASKS__BLOCKING_WAIT: '5s',
        // As long as a message waits for an agent that takes none at the moment.
        A2A_HUB__AGENTS__FIRST_EVENT: '5s',
        A2A_HUB__AGENTS__HEALTH__OPEN_MIN: '500ms',
        A2A_HUB__AGENTS__HEALTH__OPEN_MAX: '2s',
        A2A_HUB__AGENTS__POLL_MIN: '100ms',
        A2A_HUB__AGENTS__POLL_MAX: '300ms',
        A2A_HUB__LOG__LEVEL: 'error',
      },
    });
    await fleet.register(hub);
    for (const composite of COMPOSITES) {
      const { status, text } = await hub.admin('POST', '/api/v1/composite-skills', composite);
      if (status !== 201) throw new Error(`composite ${composite['id']}: ${text}`);
    }
    await hub.key();
    clients = jobsOf(fleet, tasks, SEED).map(
      (job) => new FleetClient(hub, job, job.webhook ? sink.url(`/${job.number}`) : undefined),
    );
    await simulate();
    outcomes = await Promise.all(clients.map((client) => outcomeOf(client)));
  }, TIMEOUT_MS);

  afterAll(async () => {
    await hub?.close();
    await Promise.all([fleet?.close(), sink?.close()]);
    await database?.stop();
  }, TIMEOUT_MS);

  const inFlightAtKill = Math.min(IN_FLIGHT, Math.ceil(tasks / 10));

  /** Which of `RELEASED` may begin. */
  let wave: number;

  /** Runs all clients, and kills the hub twice between. */
  async function simulate(): Promise<void> {
    wave = 0;
    await Promise.all([
      inTurn(clients, AT_ONCE, async (client, index) => {
        await until(() => index < clients.length * RELEASED[wave]!, TIMEOUT_MS);
        await client.run(TASK_DEADLINE_MS);
      }),
      killTwice(),
    ]);
  }

  async function killTwice(): Promise<void> {
    await ended(0.25);
    await holdAndKill(1);
    await hub.restart(RESTART_DEADLINE_MS);
    fleet.gate.open = true;
    await ended(0.5);
    await holdAndKill(2);
    // This time the agents go on while there is no hub.
    fleet.gate.open = true;
    await hub.restart(RESTART_DEADLINE_MS);
  }

  function ended(share: number): Promise<void> {
    return until(() => clients.filter(({ done }) => done).length >= clients.length * share);
  }

  /**
   * Holds the tasks of the fleet, those of the next wave among them, until enough are seen in flight,
   * then kills the hub. Without fresh tasks a small fleet could have ended nearly all before it held.
   */
  async function holdAndKill(nextWave: number): Promise<void> {
    fleet.gate.open = false;
    wave = nextWave;
    const inFlight = (): FleetClient[] => clients.filter(({ working }) => working);
    // A few more, since some may end between the look at them and the kill.
    const enough = inFlightAtKill * 1.2;
    await until(() => inFlight().length >= enough && fleet.running >= inFlightAtKill);
    const before = inFlight().map((client) => ({ client, lost: client.lost }));
    await hub.kill();
    // Some may have ended in the moment before.
    await until(() => before.every(({ client, lost }) => client.done || client.lost > lost));
    killed.push(
      before.filter(({ client, lost }) => client.lost > lost).map(({ client }) => client),
    );
  }

  async function outcomeOf(client: FleetClient): Promise<Outcome> {
    const { job, taskId, refusal } = client;
    if (taskId === undefined) return { client, job, refusal: refusal?.message };
    const [{ body }, task] = await Promise.all([
      hub.admin('GET', `/api/v1/tasks/${taskId}`),
      hub.getTask(taskId),
    ]);
    return { client, job, view: body as TaskView, task };
  }

  /** What `find` says against each task, with what is needed to see why. */
  function against(find: (found: Found) => readonly string[]): string[] {
    return outcomes.flatMap((outcome) => {
      if (!isFound(outcome)) return [];
      const { job, view } = outcome;
      return find(outcome).map(
        (wrong) =>
          `job ${job.number} (${job.strategy} ${JSON.stringify(job.directive)}): ${wrong}; ${view.state}, ${summary(view)}`,
      );
    });
  }

  it('was killed twice with many tasks in flight, which all went on', () => {
    const cameBack = killed.map((each) => each.filter(({ lost }) => lost > 0).length);
    expect(Math.min(...cameBack)).toBeGreaterThanOrEqual(inFlightAtKill);
    const stuck = killed.flat().filter(({ done }) => !done);
    expect(stuck.map(({ job }) => job.number)).toEqual([]);
  });

  it('takes nearly every message on, and says why when it does not', () => {
    const refused = outcomes.flatMap(({ refusal, view }) => (view ? [] : [refusal ?? '']));
    expect(refused.filter((why) => why.length < 20)).toEqual([]);
    expect(refused.length).toBeLessThan(outcomes.length / 5);
  });

  it('ends every task in a correct state that explains itself', () => {
    expect(against(({ view, task, job }) => verdictOn(view, textOf(task), job.cancels))).toEqual(
      [],
    );
  });

  it('leaves open only what asks a client that does not answer', () => {
    expect(
      against(({ view, job }) => (ENDS.has(view.state) || !job.answers ? [] : ['it is open'])),
    ).toEqual([]);
  });

  it('keeps its promises to every client: order, finality, own ids, streams and webhooks that agree', async () => {
    await until(() => outcomes.filter(isFound).every(isTold), 25_000);
    expect(
      against((found) => breaches(found.view, { ...found, webhooks: toldTo(found.job) })),
    ).toEqual([]);
  });

  it('shows the times of every delegation in the order they came', () => {
    expect(against(({ view }) => view.delegations.flatMap(wrongTimes))).toEqual([]);
  });

  it('gives each agent each message once', () => {
    const twice = fleet.agents.flatMap(({ id, tasks: begun }) => {
      const ids = begun.map((task) =>
        String((task.snapshot()['history'] as JsonObject[])[0]?.messageId),
      );
      return ids.filter((one, index) => ids.indexOf(one) !== index).map((one) => `${id}: ${one}`);
    });
    expect(twice).toEqual([]);
  });

  it('leaves no agent at work on what has ended', async () => {
    await eventually(() => {
      const atWork = fleet.agents.flatMap(({ id, running }) =>
        running.map((task) => about(id, task)),
      );
      expect(atWork).toEqual([]);
    }, 15_000);
  });

  it('tells every loser to stop', () => {
    const endless = fleet.named('endless').flatMap((agent) => agent.tasks);
    expect(endless.length).toBeGreaterThan(tasks / 100);
    const goOn = endless.filter(({ state }) => state !== 'TASK_STATE_CANCELED');
    expect(goOn.map(({ id, state }) => `${id} ${state}`)).toEqual([]);
  });

  it('cancels what still waits, down to its agents', async () => {
    const waiting = outcomes.flatMap(({ view }) =>
      view && !ENDS.has(view.state) ? [String(view['id'])] : [],
    );
    expect(waiting.length).toBeGreaterThan(0);
    for (const id of waiting) await hub.rpc('CancelTask', { id });
    await eventually(() => {
      const open = fleet.agents.flatMap((agent) =>
        agent.tasks
          .filter((task) => !task.ended && !isUnknown(agent.id, task))
          .map((task) => about(agent.id, task)),
      );
      expect(open).toEqual([]);
    }, 15_000);
  });

  /** The outcome of the job that an agent's task belongs to. */
  function outcomeBehind(task: LiveTask): Outcome | undefined {
    const text = JSON.stringify(task.snapshot()['history']);
    return outcomes.find(({ job }) => text.includes(markOf(job)));
  }

  /** The hub was killed before the agent could name its task, and an agent of 0.3 cannot be asked. */
  function isUnknown(agentId: string, task: LiveTask): boolean {
    const delegations = outcomeBehind(task)?.view?.delegations ?? [];
    const found = delegations.find((each) => each.agentId === agentId);
    const isLegacy = fleet.agent(agentId).behaviour.dialect === LEGACY_JSON_RPC;
    return isLegacy && found?.['answeredAt'] === null;
  }

  /** An agent's task, and what the hub has of it. */
  function about(agentId: string, task: LiveTask): string {
    const found = outcomeBehind(task);
    return `${agentId}: ${task.id} ${task.state} of job ${found?.job.number}: ${found?.view && summary(found.view)}`;
  }

  /** Its webhook, where there is one, has got the newest event. */
  function isTold({ job, view }: Found): boolean {
    const last = sink.at(`/${job.number}`).at(-1)?.headers['a2a-hub-sequence'];
    return !job.webhook || Number(last) === Number(view['seq']);
  }

  /** What the webhook of a job was told, each delivery once. */
  function toldTo({ number }: Job): ReceivedWebhook[] {
    const first = new Map<string, ReceivedWebhook>();
    for (const webhook of sink.at(`/${number}`)) {
      const id = String(webhook.headers['webhook-id']);
      if (!first.has(id)) first.set(id, webhook);
    }
    return [...first.values()];
  }
});

interface Outcome {
  readonly client: FleetClient;
  readonly job: Job;
  /** Why there is no task. */
  readonly refusal?: string | undefined;
  readonly view?: TaskView;
  readonly task?: JsonObject;
}

type Found = Outcome & Required<Pick<Outcome, 'view' | 'task'>>;

function isFound(outcome: Outcome): outcome is Found {
  return outcome.view !== undefined;
}

/** The text of a task's status. */
function textOf(task: JsonObject): string {
  const parts = (task['status'].message?.parts ?? []) as JsonObject[];
  return parts.map(({ text }) => String(text ?? '')).join(' ');
}

function summary({ delegations }: TaskView): string {
  return delegations
    .map(({ agentId, state, step, reason }) => `${step}:${agentId} ${state} (${reason})`)
    .join(', ');
}

function wrongTimes(delegation: JsonObject): string[] {
  const { agentId, createdAt, queuedAt, sentAt, answeredAt, endedAt } = delegation;
  const times = [createdAt, queuedAt, sentAt, answeredAt, endedAt].filter(Boolean) as string[];
  const inOrder = times.every((time, index) => index === 0 || times[index - 1]! <= time);
  const ends = ENDS.has(String(delegation['state'])) === Boolean(endedAt);
  return inOrder && ends ? [] : [`the times of ${agentId} are wrong: ${times.join(', ')}`];
}

async function until(check: () => boolean, deadlineMs = 90_000 + TASKS * 50): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!check()) {
    if (performance.now() > end) throw new Error('the simulation does not get on');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Does `work` for each, so many at a time. */
async function inTurn<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of rest) await work(one, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
