import { isUrl } from '../common/is-url.js';
import { ID } from '../common/id-pattern.js';
import { readDuration, writeDuration } from './setting-kinds.js';
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
  /** Public keys that have to have signed its card: a JWK Set or `{jwksUrl}`; null pins none. */
  readonly cardKeys: Readonly<Record<string, unknown>> | null;
  /** The URL to call instead of the card's. */
  readonly endpoint: string | null;
  /** The interface of its card to call; null leaves the choice to the hub. */
  readonly pin: {
    readonly protocolBinding: (typeof BINDINGS)[number] | null;
    readonly protocolVersion: (typeof VERSIONS)[number] | null;
  };
  /** Headers for calling the agent: its credentials (secret values). */
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly weight: number;
  /** Delegations at once from one process, and how many may wait; null: the defaults. */
  readonly maxConcurrent: number | null;
  readonly maxQueue: number | null;
  readonly enabled: boolean;
  /** The organizations that may use it; null: everybody. */
  readonly organizations: readonly string[] | null;
  /** Milliseconds that replace the defaults of `agents.*` for this agent. */
  readonly budgets: Readonly<Partial<Record<BudgetMember, number>>>;
  /** How it is called, where its card or its server says otherwise; see `AgentSwitches`. */
  readonly switches: DeclaredSwitches;
}

export interface DeclaredSwitches {
  readonly streaming?: 'off';
  readonly blocking?: 'on';
  readonly pollIntervalMs?: number;
  readonly files?: (typeof FILES)[number];
}

type BudgetMember = 'connectMs' | 'firstEventMs' | 'idleMs' | 'totalMs' | 'cancelWaitMs';

const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;
const VERSIONS = ['1.0', '0.3'] as const;

const CARD_SCHEMES = ['http:', 'https:'];
const SCHEMES = [...CARD_SCHEMES, 'grpc:', 'grpcs:'];
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s/:@]+):\d{1,5}$/i;

/** The positions and limits of an agent's switches, here and in the admin API. */
export const SWITCHES = {
  streaming: ['off'],
  blocking: ['on'],
  /** An hour: as long as `agents.pollMax` may be. */
  pollMs: { min: 10, max: 3_600_000 },
  files: ['once', 'twice'],
} as const;
const FILES = SWITCHES.files;
const POLL_MS = SWITCHES.pollMs;
const SWITCHES_WORDS = `a mapping of streaming (${SWITCHES.streaming.join(', ')}), blocking (${SWITCHES.blocking.join(', ')}), pollInterval (${writeDuration(POLL_MS.min)} to ${writeDuration(POLL_MS.max)}), files (${FILES.join(', ')})`;

const BUDGETS: Readonly<Record<string, BudgetMember>> = {
  connect: 'connectMs',
  firstEvent: 'firstEventMs',
  idle: 'idleMs',
  total: 'totalMs',
  cancelWait: 'cancelWaitMs',
};

/** The largest of the whole numbers from 1. */
const LIMITS = { weight: 1000, maxConcurrent: 100_000, maxQueue: 1_000_000 } as const;

const KEYS = [
  'id',
  'cardUrl',
  'card',
  'cardHeaders',
  'cardKeys',
  'endpoint',
  'protocolBinding',
  'protocolVersion',
  'headers',
  'tags',
  'priority',
  'weight',
  'maxConcurrent',
  'maxQueue',
  'enabled',
  'organizations',
  'budgets',
  'switches',
];

const ALLOWED =
  `a list of agents (in a file only), each with id and either cardUrl or card, and optionally ` +
  `cardHeaders, cardKeys, endpoint, protocolBinding, protocolVersion, headers, tags, priority, weight, maxConcurrent, maxQueue, enabled, organizations, budgets {${Object.keys(BUDGETS).join(', ')}}, switches {streaming, blocking, pollInterval, files}`;

/** The setting that holds agents declared in YAML. Its headers may be secrets, so it is masked whole. */
export function declaredAgents(
  options: SettingOptions<readonly DeclaredAgent[]>,
): Setting<readonly DeclaredAgent[]> {
  return new Setting<readonly DeclaredAgent[]>(
    {
      ...options,
      secret: true,
      mask: (agents) => agents.map((agent) => agent.id).join(', '),
      faults: faultsOf,
    },
    ALLOWED,
    readAgents,
  );
}

function readAgents(input: unknown): readonly DeclaredAgent[] | undefined {
  if (!Array.isArray(input) || faultsOf(input).length > 0) return undefined;
  return input.map((each) => toAgent(each as Mapping));
}

type Mapping = Record<string, unknown>;

/** Everything that is wrong with the list, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  const seen = new Set<unknown>();
  return input.flatMap((each: unknown, index) => {
    const at = `[${index}]`;
    if (!isMapping(each)) return [`${at}: is not a mapping`];
    const twice = seen.has(each['id']) ? [`${at}.id: is the id of an agent before it`] : [];
    seen.add(each['id']);
    return [...faultsOfAgent(each).map((fault) => at + fault), ...twice];
  });
}

function faultsOfAgent(agent: Mapping): string[] {
  const { id, cardUrl = null, card = null, endpoint = null } = agent;
  const { tags = [], priority = 0, enabled = true } = agent;
  const { protocolBinding = null, protocolVersion = null } = agent;
  const faults = Object.keys(agent)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `.${key}: is not known here; known: ${KEYS.join(', ')}`);
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  expect(typeof id === 'string' && ID.test(id), '.id: is not [a-z0-9-]{1,63}');
  expect(
    cardUrl === null || isAddress(cardUrl, CARD_SCHEMES),
    '.cardUrl: is not an http or https address, such as https://agent.example',
  );
  expect(card === null || isMapping(card), '.card: is not a mapping');
  expect((card === null) !== (cardUrl === null), ': needs either cardUrl or card');
  expect(
    endpoint === null || isAddress(endpoint, SCHEMES) || isHostAndPort(endpoint),
    '.endpoint: is not an address: http, https, grpc or grpcs, such as https://agent.example/a2a',
  );
  expect(
    protocolBinding === null || BINDINGS.some((one) => one === protocolBinding),
    `.protocolBinding: is none of ${BINDINGS.join(', ')}`,
  );
  expect(
    protocolVersion === null || VERSIONS.some((one) => one === protocolVersion),
    `.protocolVersion: is none of ${VERSIONS.map((one) => `"${one}"`).join(', ')} (a text)`,
  );
  const { cardKeys = null, organizations = null } = agent;
  expect(cardKeys === null || isMapping(cardKeys), '.cardKeys: is not a mapping');
  expect(
    organizations === null || (isTexts(organizations) && !isEmptyIn(organizations)),
    '.organizations: is not a list of at least one name',
  );
  expect(isTexts(tags), '.tags: is not a list of texts');
  expect(Number.isInteger(priority), '.priority: is not a whole number');
  for (const [name, max] of Object.entries(LIMITS)) {
    const value = agent[name] ?? null;
    expect(
      value === null || isWholeNumber(value, max),
      `.${name}: is not a whole number from 1 to ${max}`,
    );
  }
  expect(typeof enabled === 'boolean', '.enabled: is not true or false');
  for (const name of ['cardHeaders', 'headers']) {
    expect(readHeaders(agent[name] ?? {}) !== undefined, `.${name}: is not a mapping of texts`);
  }
  const durations = `a mapping of ${Object.keys(BUDGETS).join(', ')} to durations`;
  expect(readBudgets(agent['budgets'] ?? {}) !== undefined, `.budgets: is not ${durations}`);
  expect(
    readSwitches(agent['switches'] ?? {}) !== undefined,
    `.switches: is not ${SWITCHES_WORDS}`,
  );
  return faults;
}

/** Of a mapping without faults. */
function toAgent(agent: Mapping): DeclaredAgent {
  return {
    id: agent['id'] as string,
    cardUrl: (agent['cardUrl'] ?? null) as string | null,
    card: (agent['card'] ?? null) as Mapping | null,
    cardHeaders: readHeaders(agent['cardHeaders'] ?? {})!,
    cardKeys: (agent['cardKeys'] ?? null) as Mapping | null,
    endpoint: (agent['endpoint'] ?? null) as string | null,
    pin: {
      protocolBinding: (agent['protocolBinding'] ??
        null) as DeclaredAgent['pin']['protocolBinding'],
      protocolVersion: (agent['protocolVersion'] ??
        null) as DeclaredAgent['pin']['protocolVersion'],
    },
    headers: readHeaders(agent['headers'] ?? {})!,
    tags: (agent['tags'] ?? []) as string[],
    priority: (agent['priority'] ?? 0) as number,
    weight: (agent['weight'] ?? 1) as number,
    maxConcurrent: (agent['maxConcurrent'] ?? null) as number | null,
    maxQueue: (agent['maxQueue'] ?? null) as number | null,
    enabled: (agent['enabled'] ?? true) as boolean,
    organizations: (agent['organizations'] ?? null) as string[] | null,
    budgets: readBudgets(agent['budgets'] ?? {})!,
    switches: readSwitches(agent['switches'] ?? {})!,
  };
}

/** No name at all, or one that is empty: an organization nobody is in, where everybody may be meant. */
function isEmptyIn(names: unknown): boolean {
  return (names as string[]).length === 0 || (names as string[]).includes('');
}

function isWholeNumber(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
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

function readSwitches(input: unknown): DeclaredSwitches | undefined {
  if (!isMapping(input)) return undefined;
  const { streaming, blocking, pollInterval, files, ...unknown } = input;
  if (Object.keys(unknown).length > 0) return undefined;
  if (streaming !== undefined && streaming !== 'off') return undefined;
  if (blocking !== undefined && blocking !== 'on') return undefined;
  const form = FILES.find((one) => one === files);
  if (files !== undefined && form === undefined) return undefined;
  const pollIntervalMs = pollInterval === undefined ? undefined : readDuration(pollInterval);
  if (pollInterval !== undefined && !isPause(pollIntervalMs)) return undefined;
  return {
    ...(streaming !== undefined && { streaming }),
    ...(blocking !== undefined && { blocking }),
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
    ...(form !== undefined && { files: form }),
  };
}

function isPause(ms: number | undefined): boolean {
  return ms !== undefined && ms >= POLL_MS.min && ms <= POLL_MS.max;
}

function isAddress(value: unknown, schemes: readonly string[]): boolean {
  if (typeof value !== 'string' || !isUrl(value)) return false;
  const { protocol, hostname } = new URL(value);
  return schemes.includes(protocol) && hostname !== '';
}

/** As gRPC names a server. */
function isHostAndPort(value: unknown): boolean {
  return typeof value === 'string' && HOST_AND_PORT.test(value);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
