/** What the work of agents costs. */
export interface Price {
  /** Null: of every agent that has none of its own. */
  readonly agent: string | null;
  /** `AGENT.SKILL`, in place of `agent`. */
  readonly skill: string | null;
  /** What is spent: a currency, tokens, whatever the operator counts. */
  readonly unit: string;
  /** For each task that it has taken; 0: nothing. */
  readonly perTask: number;
  /** What one of what an agent reports costs, by the key it reports it under. */
  readonly usage: Readonly<Record<string, number>>;
}

/** What an agent has reported of its work, by key: the last value of each. */
export type ReportedUsage = Readonly<Record<string, number>>;

/** An agent, by its skill where one is named. */
export interface PricedTarget {
  readonly agentId: string;
  readonly skillId: string | null;
}

/** What something costs. */
export interface Cost {
  readonly unit: string;
  /** Millionths of the unit, a whole number. */
  readonly amount: number;
}

/** Units that a budget may have at most, and that are counted at most. */
export const MAX_AMOUNT = 1_000_000_000;
/** Amounts are counted in millionths of their unit. */
export const MILLION = 1_000_000;
/** Keys that one price has at most. */
export const MAX_USAGE_KEYS = 32;
/** A key of usage: names with dots between them. */
export const USAGE_KEY = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;
/** Reported values above this are not believed. */
export const MAX_REPORTED = 1_000_000_000;

/** All prices: of each unit the one of the skill counts, else that of the agent, else that of all agents. */
export class PriceList {
  private readonly byTarget = new Map<string, Price[]>();

  constructor(readonly prices: readonly Price[]) {
    for (const price of prices) {
      const key = price.skill ?? price.agent ?? '';
      this.byTarget.set(key, [...(this.byTarget.get(key) ?? []), price]);
    }
  }

  get isEmpty(): boolean {
    return this.prices.length === 0;
  }

  /** The prices of this agent, one for each unit. */
  of({ agentId, skillId }: PricedTarget): readonly Price[] {
    if (this.isEmpty) return this.prices;
    const keys = skillId === null ? [agentId, ''] : [`${agentId}.${skillId}`, agentId, ''];
    const byUnit = new Map<string, Price>();
    for (const price of keys.flatMap((key) => this.byTarget.get(key) ?? [])) {
      if (!byUnit.has(price.unit)) byUnit.set(price.unit, price);
    }
    return [...byUnit.values()];
  }

  /** The keys of usage that have a price with this agent. */
  keysOf(target: PricedTarget): readonly string[] {
    return [...new Set(this.of(target).flatMap(({ usage }) => Object.keys(usage)))];
  }

  /** What the work of this agent on a task costs; `isTaken`: it took the task, and did not reject it. */
  costsOf(target: PricedTarget, reported: ReportedUsage, isTaken: boolean): Cost[] {
    return this.of(target).map(({ unit, perTask, usage }) => {
      const used = Object.entries(usage).map(
        ([key, each]) => each * (Object.hasOwn(reported, key) ? reported[key]! : 0),
      );
      const amount = used.reduce((sum, each) => sum + each, isTaken ? perTask : 0);
      return { unit, amount: Math.round(Math.min(amount, MAX_AMOUNT) * MILLION) };
    });
  }
}

/** What is wrong with the unit of a budget: without a price nothing is ever spent of it. */
export function faultsOfUnit(
  unit: string | undefined,
  priced: readonly unknown[],
): { field: string; description: string }[] {
  if (unit === undefined || priced.includes(unit)) return [];
  const known =
    priced.length === 0 ? 'there are none' : `they have ${[...new Set(priced)].join(', ')}`;
  const description = `has no price in limits.prices (${known}), so nothing would be spent of it`;
  return [{ field: 'budget.unit', description }];
}

/** What is wrong with a price, by field. */
export function faultsOfPrice({
  agent,
  skill,
  perTask,
  usage,
}: Price): { field: string; description: string }[] {
  const faults: { field: string; description: string }[] = [];
  if (agent !== null && skill !== null) {
    faults.push({ field: 'skill', description: 'names its agent itself; leave out agent' });
  }
  if (skill !== null && !/^[a-z0-9-]{1,63}\../.test(skill)) {
    faults.push({ field: 'skill', description: 'must be AGENT.SKILL' });
  }
  const entries = Object.entries(usage);
  if (perTask === 0 && entries.length === 0) {
    faults.push({ field: 'perTask', description: 'or usage must be given' });
  }
  if (entries.length > MAX_USAGE_KEYS) {
    faults.push({ field: 'usage', description: `has more than ${MAX_USAGE_KEYS} keys` });
  }
  for (const [key, value] of entries.slice(0, MAX_USAGE_KEYS)) {
    if (!USAGE_KEY.test(key)) {
      faults.push({
        field: 'usage',
        description: `has a key that is not names with dots: ${key.slice(0, 100)}`,
      });
    } else if (typeof value !== 'number' || !(value >= 0 && value <= MAX_AMOUNT)) {
      faults.push({
        field: `usage.${key}`,
        description: `must be a number from 0 to ${MAX_AMOUNT}`,
      });
    }
  }
  return faults;
}
