import { invalidField } from '../common/hub-error.js';
import { snakeCase } from './snake-case.js';

/** The hub's routing extension, declared in its card. Its data sits under this key of metadata. */
export const ROUTING_EXTENSION_URI = 'urn:a2a-hub:routing:v1';

/**
 * How many of several agents must complete: each; one; as many as `quorum` says; or one, and every
 * other is waited for.
 */
export type RequirePolicy = 'all' | 'any' | 'quorum' | 'best-effort';

/**
 * - `one`: one agent; the next takes over while none has accepted.
 * - `all`: every agent that matches, at the same time.
 * - `first`: the same, and the first that completes wins; the others are canceled.
 * - `chain`: the agents of `steps` one after another, each with the artifacts of the one before.
 * - `synthesize`: like `all`, then the agent of `synthesizer` makes the result of their artifacts.
 */
export type Strategy = 'one' | 'all' | 'first' | 'chain' | 'synthesize';

/** Who is meant by a step of a chain, or as the synthesizer: at least one member. */
export interface RoutingTarget {
  readonly agentId?: string;
  readonly skillId?: string;
  readonly tags?: readonly string[];
  readonly match?: 'all' | 'any';
}

/**
 * What a client may ask for under `metadata["urn:a2a-hub:routing:v1"]` of the message or the
 * request (the message's wins, member by member). The plain metadata keys `agentId`, `skillId` and
 * `skillTags` are understood too.
 */
export interface RoutingDirective {
  /** An agent's id in the registry. */
  readonly agentId?: string;
  /** `agentId.skillId` of the hub's card, or a skill id that agents share. */
  readonly skillId?: string;
  readonly tags?: readonly string[];
  /** Whether a skill must carry every tag (`all`, the default) or one of them (`any`). */
  readonly match?: 'all' | 'any';
  /** Default `one`. */
  readonly strategy?: Strategy;
  /** For `all` and `synthesize`: how many agents must complete; default `all`. */
  readonly require?: RequirePolicy;
  /** For `require: quorum`. */
  readonly quorum?: number;
  /** Seconds until what is still running is canceled. */
  readonly deadlineSeconds?: number;
  /** For `all`, `first` and `synthesize`: at most this many agents at once. */
  readonly maxAgents?: number;
  /** At most this many messages to agents, failovers and further messages included. */
  readonly maxCalls?: number;
  /** For `chain`: who is asked, in this order. */
  readonly steps?: readonly RoutingTarget[];
  /** For `synthesize`: who makes the result. */
  readonly synthesizer?: RoutingTarget;
  /** On a follow-up: the agent or delegation that is answered, when several wait. */
  readonly replyTo?: string;
  /** See `Idempotency-Key`. */
  readonly idempotencyKey?: string;
}

/** The choices of a member that is one of a few words. */
export const MATCHES = ['all', 'any'] as const;
export const STRATEGIES = ['one', 'all', 'first', 'chain', 'synthesize'] as const;
export const REQUIRE_POLICIES = ['all', 'any', 'quorum', 'best-effort'] as const;

/** Limits of the numbers and lists of a directive. */
export const DIRECTIVE_LIMITS = {
  /** A day: longer than an agent may work at all by default. */
  deadlineSeconds: 86_400,
  maxAgents: 100,
  maxCalls: 1000,
  steps: 20,
  tags: 50,
  textLength: 255,
} as const;

type Metadata = Readonly<Record<string, unknown>> | undefined;
type Parse<T> = (value: unknown, field: string) => T;

/** Where a member may stand: a group of values and the path by which errors name it. */
interface Source {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/**
 * Reads what a client asks of the routing, from the metadata of the message and of the request: the
 * extension's data first, then the plain keys; in both the message before the request. Members it
 * does not know are ignored. Throws HubError INVALID_PARAMS naming the field that is mistyped.
 */
export function readDirective(
  messageMetadata: Metadata,
  requestMetadata: Metadata,
): RoutingDirective {
  const both = [
    { values: messageMetadata ?? {}, path: 'message.metadata' },
    { values: requestMetadata ?? {}, path: 'metadata' },
  ];
  const ours = both.flatMap(extensionData);
  const read = <T>(name: string, parse: Parse<T>, plain?: string): T | undefined =>
    find(ours, name, parse) ?? (plain === undefined ? undefined : find(both, plain, parse));
  return withoutUndefined({
    agentId: read('agentId', text, 'agentId'),
    skillId: read('skillId', text, 'skillId'),
    tags: read('tags', tags, 'skillTags'),
    match: read('match', oneOf(MATCHES)),
    strategy: read('strategy', oneOf(STRATEGIES)),
    require: read('require', oneOf(REQUIRE_POLICIES)),
    deadlineSeconds: read('deadlineSeconds', seconds),
    maxAgents: read('maxAgents', agentCount),
    replyTo: read('replyTo', text),
    idempotencyKey: read('idempotencyKey', text),
  });
}

function extensionData({ values, path }: Source): Source[] {
  const data = values[ROUTING_EXTENSION_URI];
  if (data === undefined || data === null) return [];
  const at = `${path}["${ROUTING_EXTENSION_URI}"]`;
  if (!isRecord(data)) throw invalidField(at, 'must be an object');
  return [{ values: data, path: at }];
}

/** The first source that has the member, in camelCase or snake_case. */
function find<T>(sources: readonly Source[], name: string, parse: Parse<T>): T | undefined {
  const snake = snakeCase(name);
  for (const { values, path } of sources) {
    for (const key of snake === name ? [name] : [name, snake]) {
      const value = values[key];
      if (value !== undefined && value !== null) return parse(value, `${path}.${key}`);
    }
  }
  return undefined;
}

function text(value: unknown, field: string): string {
  const limit = DIRECTIVE_LIMITS.textLength;
  if (typeof value === 'string' && value !== '' && value.length <= limit) return value;
  throw invalidField(field, `must be a string of 1 to ${limit} characters`);
}

/** A list of tags; a single string is a list separated by commas. */
function tags(value: unknown, field: string): string[] {
  const limit = DIRECTIVE_LIMITS.tags;
  const list: unknown[] = typeof value === 'string' ? value.split(',') : asArray(value, field);
  if (list.length === 0 || list.length > limit) {
    throw invalidField(field, `must hold 1 to ${limit} tags`);
  }
  return list.map((tag, i) => text(typeof tag === 'string' ? tag.trim() : tag, `${field}[${i}]`));
}

function asArray(value: unknown, field: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidField(field, 'must be a list of strings');
}

function oneOf<T extends string>(choices: readonly T[]): Parse<T> {
  return (value, field) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalidField(field, `must be one of: ${choices.join(', ')}`);
  };
}

function seconds(value: unknown, field: string): number {
  const limit = DIRECTIVE_LIMITS.deadlineSeconds;
  if (typeof value === 'number' && value > 0 && value <= limit) return value;
  throw invalidField(field, `must be a number of seconds above 0 and at most ${limit}`);
}

function agentCount(value: unknown, field: string): number {
  const limit = DIRECTIVE_LIMITS.maxAgents;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limit) return Number(value);
  throw invalidField(field, `must be a whole number from 1 to ${limit}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
