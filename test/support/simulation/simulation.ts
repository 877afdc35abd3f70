import type { ConfigOverrides } from '../../../src/config/index.js';
import type { Database } from '../../../src/database/database.js';
import type { HubRequest, Plan, Route } from '../../../src/routing/index.js';
import { Random } from '../fleet/random.js';
import { HubTasks } from '../hub-tasks.js';
import { type DatabaseTrouble, Life, MortalClient, MortalClock, MortalDatabase } from './life.js';
import { SimClock, SimIds } from './sim-clock.js';
import { SimAgent, SimClient, type Temper } from './sim-agent.js';
import { SimClientOfHub, type SimProcess, type ClientPlan } from './sim-client.js';

const TROUBLE_FREE = { unreachable: 0, lost: 0, cut: 0 } as const;
const NO_TROUBLE: DatabaseTrouble = { away: 0 };
/** A task that has not ended by then never will. */
const MAX_MS = 60 * 60 * 1000;
/** What still changes an ended task does so by then. */
const AFTERMATH_MS = 3000;
const TRACE = 400;

/** All that one seed decides. */
export interface Scenario {
  readonly isTroubleFree: boolean;
  readonly resend: 'fail' | 'again';
  readonly database: DatabaseTrouble;
  readonly config: ConfigOverrides;
  readonly tempers: readonly Temper[];
  readonly clientPlans: readonly ClientPlan[];
  /** For each process that is killed: at which point of its life, and how long until the next one starts. */
  readonly kills: readonly { readonly at: number; readonly pauseMs: number }[];
}

/** What has come of a scenario, for the verdict. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly hub: HubTasks;
  readonly agents: ReadonlyMap<string, SimAgent>;
  readonly clients: readonly SimClientOfHub[];
  /** The kills that have come about. */
  readonly killed: number;
  readonly errors: readonly object[];
  readonly trace: readonly string[];
  /** Why it was given up; undefined when every client has come to its end. */
  readonly stuck: string | undefined;
  /** Ends the last process. */
  close(): void;
}

export function aScenario(seed: number): Scenario {
  const random = new Random(seed);
  const isTroubleFree = random.percent(60);
  const resend = random.percent(50) ? 'again' : 'fail';
  const database = isTroubleFree || random.percent(50) ? NO_TROUBLE : aDatabaseTrouble(random);
  const isLong = random.percent(4);
  const tempers = Array.from({ length: random.between(1, 3) }, () =>
    aTemper(random, isTroubleFree, isLong),
  );
  const names = tempers.map((_, index) => nameOf(index));
  const clientPlans = Array.from({ length: random.between(1, isLong ? 1 : 4) }, (_, index) =>
    aClientPlan(random, `client ${index}`, names),
  );
  const kills = Array.from({ length: random.between(1, 4) }, () => ({
    at: random.between(1, random.pick([12, 60, 60, 250, 250, 1000, isLong ? 4000 : 500])),
    pauseMs: random.pick([0, 300, 300, random.between(0, 3000)]),
  }));
  const config: ConfigOverrides = {
    tasks: {
      resend,
      leaseMs: random.pick([1000, 30_000]),
      maxConcurrent: random.pick([1, 2, 256]),
    },
    agents: {
      pollMinMs: random.pick([20, 500]),
      pollMaxMs: random.pick([500, 15_000]),
      firstEventMs: 600_000,
      idleMs: 1_200_000,
      cancelWaitMs: random.pick([300, 10_000]),
    },
  };
  return { isTroubleFree, resend, database, config, tempers, clientPlans, kills };
}

function aDatabaseTrouble(random: Random): DatabaseTrouble {
  return { away: random.pick([0, 2, 10]) };
}

function aTemper(random: Random, isTroubleFree: boolean, isLong: boolean): Temper {
  const streaming = random.percent(50);
  return {
    streaming,
    version: random.percent(80) ? '1.0' : '0.3',
    lists: random.percent(isTroubleFree ? 90 : 60),
    blocking: !streaming && random.percent(20),
    keepsMessages: random.percent(70),
    cancels: random.pick(['at once', 'at once', 'never', 'refuses']),
    latencyMs: random.pick([0, 5, 200]),
    ...(isTroubleFree
      ? TROUBLE_FREE
      : {
          unreachable: random.pick([0, 3, 15]),
          lost: random.pick([0, 3, 15]),
          cut: random.pick([0, 2, 20]),
        }),
    script: {
      artifacts: random.between(1, 3),
      chunks: isLong ? 400 : random.pick([3, 12, 40]),
      pauseMs: random.pick([1, 50, 400]),
      replies: random.pick([0, 0, 15]),
      asks: random.pick([0, 0, 40]),
      fails: random.pick([0, 0, 20]),
      appendsFirst: random.percent(30),
      unstorable: isTroubleFree ? 0 : random.pick([0, 0, 0, 5]),
    },
  };
}

function aClientPlan(random: Random, name: string, agents: readonly string[]): ClientPlan {
  const strategy = agents.length > 1 ? random.pick(['one', 'one', 'all', 'first', 'chain']) : 'one';
  const to = strategy === 'one' && random.percent(60) ? [random.pick(agents)] : agents;
  const steps = strategy === 'chain' ? { steps: to.map((agentId) => ({ agentId })) } : {};
  return {
    name,
    options: { to, directive: { tags: [...to], strategy, ...steps } as HubRequest['directive'] },
    beginsAfterMs: random.pick([0, random.between(0, 2000)]),
    cancelsAfterMs: random.percent(12) ? random.between(0, 3000) : undefined,
  };
}

/** Plays a scenario on this database, which is empty. The same seed goes the same way each time. */
export async function simulate(seed: number, database: Database): Promise<Outcome> {
  const simulation = new Simulation(seed, database);
  return simulation.run();
}

class Simulation {
  private readonly scenario: Scenario;
  private readonly clock: SimClock;
  private readonly trace: string[] = [];
  private readonly random: Random;
  private readonly ids: SimIds;
  private readonly agents: ReadonlyMap<string, SimAgent>;
  private readonly client: SimClient;
  private readonly errors: object[] = [];
  private current: SimProcess | undefined;
  private killed = 0;

  constructor(
    seed: number,
    private readonly database: Database,
  ) {
    this.scenario = aScenario(seed);
    this.random = new Random(seed ^ 0x5eed);
    this.clock = new SimClock(new Random(seed ^ 0xc10c));
    this.ids = new SimIds(new Random(seed ^ 0x1d5));
    const note = (what: string): void => this.note(what);
    this.agents = new Map(
      this.scenario.tempers.map((temper, index) => {
        const id = nameOf(index);
        const chance = new Random(this.random.between(1, 1 << 30));
        return [id, new SimAgent(id, temper, this.clock, chance, note)];
      }),
    );
    this.client = new SimClient(this.agents, this.clock, this.random);
  }

  async run(): Promise<Outcome> {
    const { clock, scenario } = this;
    const clients = scenario.clientPlans.map(
      (plan) => new SimClientOfHub(plan, clock, () => this.current),
    );
    const failures: unknown[] = [];
    for (const client of clients) {
      client.run().catch((error: unknown) => failures.push(error));
    }
    this.start();
    const start = clock.now().getTime();
    const elapsed = (): number => clock.now().getTime() - start;
    const isOver = (): boolean => clients.every((each) => each.ended && each.hasSeenEnd);
    while (!isOver() && failures.length === 0 && elapsed() < MAX_MS) await clock.step();
    if (failures.length > 0) throw failures[0];
    const stuck = isOver() ? undefined : `not over after ${MAX_MS / 60_000} min`;
    const end = elapsed() + AFTERMATH_MS;
    while (elapsed() < end) await clock.step();
    const { hub, life } = await this.last();
    life.spare();
    this.errors.push(...hub.output.errors);
    const { agents, killed, errors, trace } = this;
    return {
      scenario,
      hub,
      agents,
      clients,
      killed,
      errors,
      trace,
      stuck,
      close: () => life.close(),
    };
  }

  /** The process that lives on. */
  private async last(): Promise<SimProcess> {
    while (!this.current) await this.clock.step();
    return this.current;
  }

  private start(): void {
    const kill = this.scenario.kills[this.killed];
    const life = new Life(kill?.at, (where) => {
      this.note(`the hub is killed ${where}, point ${life.points}`);
      if (this.current?.life === life) this.errors.push(...this.current.hub.output.errors);
      this.current = undefined;
      this.killed += 1;
      void this.clock.sleep(Math.max(1, kill?.pauseMs ?? 1)).then(() => this.start());
    });
    this.note('a hub starts');
    this.serve(life).catch((error: unknown) => {
      // Nothing but the database keeps a hub from starting: it is started again.
      this.note(`the hub cannot start: ${String(error)}`);
      life.close();
      void this.clock.sleep(1000).then(() => this.start());
    });
  }

  private async serve(life: Life): Promise<void> {
    const clock = new MortalClock(this.clock, life);
    const hub = await HubTasks.start({
      agents: [...this.agents.values()].map(({ record }) => record),
      config: this.scenario.config,
      clock,
      ids: this.ids,
      database: new MortalDatabase(this.database, life, this.scenario.database, this.random),
      client: new MortalClient(this.client, life),
      route: routeOf,
      soleProcess: true,
    });
    if (!life.alive) return;
    hub.cleanup.start();
    this.current = { hub, life };
  }

  private note(what: string): void {
    const at = this.clock.now().toISOString().slice(14, 23);
    this.trace.push(`${at} ${what}`);
    if (this.trace.length > TRACE) this.trace.shift();
  }
}

function routeOf({ directive }: HubRequest): Route {
  const { tags = [], strategy = 'one' } = directive;
  const chosen = tags.map((agentId) => ({ agentId, why: 'named by the simulation' }));
  const plan = strategy === 'chain' ? { plan: chainOf(chosen) } : {};
  return { reason: 'tags', strategy, require: 'all', chosen, skipped: [], ...plan };
}

function chainOf(chosen: Route['chosen']): Plan {
  const nameOfStep = (position: number): string => `step-${position + 1}`;
  return chosen.map((each, index) => ({
    name: nameOfStep(index),
    strategy: 'one',
    require: 'all',
    chosen: [each],
    inputs: index === 0 ? [{ from: 'message' }] : [{ from: 'step', step: nameOfStep(index - 1) }],
    after: index === 0 ? [] : [{ step: nameOfStep(index - 1), outcome: 'completed' }],
    isResult: index === chosen.length - 1,
    isOptional: false,
  }));
}

function nameOf(index: number): string {
  return `agent-${index}`;
}
