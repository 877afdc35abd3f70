import { readDuration } from './setting-kinds.js';
import { Setting, type SettingOptions } from './setting.js';

/** An agent declared in the configuration; it is registered at start and cannot be changed by API. */
export interface DeclaredAgent {
  /** `[a-z0-9-]{1,63}`. */
  readonly id: string;
  /** Where its card is read; exactly one of this and `card` is set. */
  readonly cardUrl: string | null;
  /** Its card, as the agent would serve it. */
  readonly card: Readonly<Record<string, unknown>> | null;
  /** Headers for reading the card (secret values). */
  readonly cardHeaders: Readonly<Record<string, string>>;
  /** The URL to call instead of the card's. */
  readonly endpoint: string | null;
  /** Headers for calling the agent: its credentials (secret values). */
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly enabled: boolean;
  /** Milliseconds that replace the defaults of `agents.*` for this agent. */
  readonly budgets: Readonly<Partial<Record<BudgetMember, number>>>;
}

type BudgetMember = 'connectMs' | 'firstEventMs' | 'idleMs' | 'totalMs' | 'cancelWaitMs';

const BUDGETS: Readonly<Record<string, BudgetMember>> = {
  connect: 'connectMs',
  firstEvent: 'firstEventMs',
  idle: 'idleMs',
  total: 'totalMs',
  cancelWait: 'cancelWaitMs',
};

const KEYS = [
  'id',
  'cardUrl',
  'card',
  'cardHeaders',
  'endpoint',
  'headers',
  'tags',
  'priority',
  'enabled',
  'budgets',
];

const ALLOWED =
  `a list of agents (in a file only), each with id and either cardUrl or card, and optionally ` +
  `cardHeaders, endpoint, headers, tags, priority, enabled, budgets {${Object.keys(BUDGETS).join(', ')}}`;

/** The setting that holds agents declared in YAML. Its headers may be secrets, so it is masked whole. */
export function declaredAgents(
  options: SettingOptions<readonly DeclaredAgent[]>,
): Setting<readonly DeclaredAgent[]> {
  return new Setting<readonly DeclaredAgent[]>(
    { ...options, secret: true, mask: (agents) => agents.map((agent) => agent.id).join(', ') },
    ALLOWED,
    readAgents,
  );
}

function readAgents(input: unknown): readonly DeclaredAgent[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const agents = input.map(readAgent);
  if (!agents.every((agent) => agent !== undefined)) return undefined;
  return new Set(agents.map((agent) => agent.id)).size === agents.length ? agents : undefined;
}

function readAgent(input: unknown): DeclaredAgent | undefined {
  if (!isMapping(input) || !Object.keys(input).every((key) => KEYS.includes(key))) return undefined;
  const { id, cardUrl = null, card = null, endpoint = null } = input;
  const { tags = [], priority = 0, enabled = true } = input;
  const cardHeaders = readHeaders(input['cardHeaders'] ?? {});
  const headers = readHeaders(input['headers'] ?? {});
  const budgets = readBudgets(input['budgets'] ?? {});
  if (typeof id !== 'string' || !/^[a-z0-9-]{1,63}$/.test(id)) return undefined;
  if (!isOptionalText(cardUrl) || !isOptionalText(endpoint)) return undefined;
  if ((card !== null && !isMapping(card)) || (card === null) === (cardUrl === null))
    return undefined;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) return undefined;
  if (!Number.isInteger(priority) || typeof enabled !== 'boolean') return undefined;
  if (!cardHeaders || !headers || !budgets) return undefined;
  return {
    id,
    cardUrl,
    card,
    cardHeaders,
    endpoint,
    headers,
    tags,
    priority: priority as number,
    enabled,
    budgets,
  };
}

function readHeaders(input: unknown): Record<string, string> | undefined {
  if (!isMapping(input)) return undefined;
  const texts = Object.values(input).every((value) => typeof value === 'string');
  return texts ? (input as Record<string, string>) : undefined;
}

function readBudgets(input: unknown): DeclaredAgent['budgets'] | undefined {
  if (!isMapping(input)) return undefined;
  const budgets: Partial<Record<BudgetMember, number>> = {};
  for (const [name, written] of Object.entries(input)) {
    const member = Object.hasOwn(BUDGETS, name) ? BUDGETS[name] : undefined;
    const ms = readDuration(written);
    if (member === undefined || ms === undefined) return undefined;
    budgets[member] = ms;
  }
  return budgets;
}

function isOptionalText(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '');
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
