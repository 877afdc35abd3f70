import { MEMBERS_OF, STRATEGIES, strategiesThat, type Strategy } from './strategies.js';
import { invalidField } from '../common/hub-error.js';
import {
  countUpTo,
  findMember,
  listUpTo,
  oneOf,
  secondsUpTo,
  textList,
  textUpTo,
  withoutUndefined,
  type Parse,
  type Source,
} from './directive-fields.js';
import { isRecord } from '../common/is-record.js';
import {
  DIRECTIVE_MEMBERS,
  TARGET_MEMBERS,
  refuseMisplaced,
  refuseMisspelt,
  refuseUnknown,
} from './directive-members.js';

/** The hub's routing extension, declared in its card. Its data sits under this key of metadata. */
export const ROUTING_EXTENSION_URI = 'urn:a2a-hub:routing:v1';

/**
 * How many of several agents must complete: each; one; as many as `quorum` says; or one, and every
 * other is waited for.
 */
export type RequirePolicy = 'all' | 'any' | 'quorum' | 'best-effort';

/**
 * Who is meant by a step of a chain, or as the synthesizer: at least one of agentId, skillId and tags.
 * On the wire a string is short for a target of that `skillId`.
 */
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
  /** For `chain`: the targets, in this order. */
  readonly steps?: readonly RoutingTarget[];
  /** For `synthesize`: the target that makes the result. */
  readonly synthesizer?: RoutingTarget;
  /** On a follow-up: the agent or delegation that is answered, when several wait. */
  readonly replyTo?: string;
  /** See `Idempotency-Key`. */
  readonly idempotencyKey?: string;
}

/** The choices of a member that is one of a few words. */
export const MATCHES = ['all', 'any'] as const;
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

/** What may stand under the extension's key: `hops` is of other hubs (`protocol/hops.ts`). */
const OWN_MEMBERS = [...DIRECTIVE_MEMBERS, 'hops'];

type Metadata = Readonly<Record<string, unknown>> | undefined;

/** Where the members of directives and targets that were read stand, for those that had any. */
const fieldsOf = new WeakMap<object, ReadonlyMap<string, string>>();

/** The path of a member as the client wrote it; its name, where it was not read from a request. */
export function fieldOf(read: RoutingDirective | RoutingTarget, name: string): string {
  return fieldsOf.get(read)?.get(name) ?? name;
}

const text = textUpTo(DIRECTIVE_LIMITS.textLength);
const tags = textList(DIRECTIVE_LIMITS.tags, 'tags', text);
const match = oneOf(MATCHES);
const anyStrategy = oneOf(STRATEGIES);
const anyPolicy = oneOf(REQUIRE_POLICIES);
const agentCount = countUpTo(DIRECTIVE_LIMITS.maxAgents);
const callCount = countUpTo(DIRECTIVE_LIMITS.maxCalls);
const deadlineLength = secondsUpTo(DIRECTIVE_LIMITS.deadlineSeconds);
const stepTargets = listUpTo(DIRECTIVE_LIMITS.steps, 'targets', target);

/**
 * Reads what a client asks of the routing, from the metadata of the message and of the request: the
 * extension's data first, then the plain keys; in both the message before the request. `options` are
 * members that stand outside of metadata and win over it. Throws HubError INVALID_PARAMS naming the
 * field that is mistyped, contradicts another or is not known (plain keys: beside one that is read, or a spelling of one).
 */
export function readDirective(
  messageMetadata: Metadata,
  requestMetadata: Metadata,
  options: Metadata = undefined,
): RoutingDirective {
  const both = [
    { values: messageMetadata ?? {}, path: 'message.metadata' },
    { values: requestMetadata ?? {}, path: 'metadata' },
  ];
  const data = both.flatMap(extensionData);
  refuseUnknown(data, OWN_MEMBERS);
  refuseMisspelt(both, data);
  refuseMisplaced(both, ROUTING_EXTENSION_URI);
  const ours = [{ values: options ?? {}, path: '' }, ...data];
  const fields = new Map<string, string>();
  const read = <T>(name: string, parse: Parse<T>, plain?: string): T | undefined => {
    const found =
      findMember(ours, name, parse) ??
      (plain === undefined ? undefined : findMember(both, plain, parse));
    if (found) fields.set(name, found.field);
    return found?.value;
  };
  const directive = withoutUndefined({
    agentId: read('agentId', text, 'agentId'),
    skillId: read('skillId', text, 'skillId'),
    tags: read('tags', tags, 'skillTags'),
    match: read('match', match),
    strategy: read('strategy', anyStrategy),
    require: read('require', anyPolicy),
    quorum: read('quorum', agentCount),
    deadlineSeconds: read('deadlineSeconds', deadlineLength),
    maxAgents: read('maxAgents', agentCount),
    maxCalls: read('maxCalls', callCount),
    steps: read('steps', stepTargets),
    synthesizer: read('synthesizer', target),
    replyTo: read('replyTo', text),
    idempotencyKey: read('idempotencyKey', text),
  });
  if (fields.size > 0) fieldsOf.set(directive, fields);
  refuseContradictions(directive);
  return directive;
}

function extensionData({ values, path }: Source): Source[] {
  const data = values[ROUTING_EXTENSION_URI];
  if (data === undefined || data === null) return [];
  const at = `${path}["${ROUTING_EXTENSION_URI}"]`;
  if (!isRecord(data)) throw invalidField(at, 'must be an object');
  return [{ values: data, path: at }];
}

/** A target; a bare string is the id of a skill. */
function target(value: unknown, field: string): RoutingTarget {
  if (typeof value === 'string') return { skillId: text(value, field) };
  if (!isRecord(value)) {
    throw invalidField(field, 'must be a skill id or an object with agentId, skillId or tags');
  }
  const source = [{ values: value, path: field }];
  refuseUnknown(source, TARGET_MEMBERS);
  const skillId = findMember(source, 'skillId', text);
  const found = withoutUndefined({
    agentId: findMember(source, 'agentId', text)?.value,
    skillId: skillId?.value,
    tags: findMember(source, 'tags', tags)?.value,
    match: findMember(source, 'match', match)?.value,
  });
  if (skillId) fieldsOf.set(found, new Map([['skillId', skillId.field]]));
  if (found.agentId ?? found.skillId ?? found.tags) return found;
  throw invalidField(field, 'must name who is asked: agentId, skillId or tags');
}

/** Refuses members that do not go together. */
function refuseContradictions(directive: RoutingDirective): void {
  const field = (name: keyof RoutingDirective): string => fieldOf(directive, name);
  const { strategy, require, quorum, maxAgents } = directive;
  for (const name of STRATEGIES) {
    const { own } = MEMBERS_OF[name];
    if (own === undefined) continue;
    const isGiven = directive[own.member] !== undefined;
    if (strategy === name && !isGiven) throw invalidField(field('strategy'), own.missing);
    if (isGiven && strategy !== name) throw invalidField(field(own.member), own.elsewhere);
  }
  if (require === 'quorum' && quorum === undefined) {
    throw invalidField(field('require'), 'is quorum, which needs quorum: how many must complete');
  }
  if (quorum !== undefined && require !== 'quorum') {
    throw invalidField(field('quorum'), 'is for require quorum: ask for it, or leave it out');
  }
  if (require !== undefined && !MEMBERS_OF[strategy ?? 'one'].hasRequirement) {
    const fitting = strategiesThat(({ hasRequirement }) => hasRequirement);
    throw invalidField(field('require'), `is for the strategies ${fitting}`);
  }
  // Without a strategy a rule of the operator may have one that asks several.
  if (maxAgents !== undefined && strategy !== undefined && !MEMBERS_OF[strategy].fansOut) {
    const fitting = strategiesThat(({ fansOut }) => fansOut);
    throw invalidField(field('maxAgents'), `is for the strategies ${fitting}`);
  }
  if (quorum !== undefined && maxAgents !== undefined && quorum > maxAgents) {
    throw invalidField(field('quorum'), `is more than maxAgents allows: ${maxAgents}`);
  }
  const { noTarget } = MEMBERS_OF[strategy ?? 'one'];
  if (noTarget !== undefined) refuseTarget(directive, noTarget);
}

function refuseTarget(directive: RoutingDirective, why: string): void {
  const named = (['agentId', 'skillId', 'tags'] as const).find((name) => directive[name]);
  if (named === undefined) return;
  throw invalidField(fieldOf(directive, named), why);
}
