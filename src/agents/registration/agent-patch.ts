import type { Grantee } from '../../common/secret-references/referred-secret.js';
import type { Agent, AgentBudgets, AgentEndpoint, AgentPin, AgentSwitches } from '../agent.js';
import { checkSize, isTwice, readHeaders } from '../endpoint/agent-headers.js';
import type { WrittenAuthentication } from './read-authentication.js';
import { called, chooseEndpoint, originsGiven } from '../endpoint/choose-endpoint.js';
import {
  type GivenCredentials,
  hasCredentials,
  isGivenFor,
} from '../endpoint/credential-origins.js';

/** How an agent takes part in routing, as its operator says at registration and later. */
export interface AgentOptions {
  readonly tags?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly weight?: number | null | undefined;
  readonly maxConcurrent?: number | null | undefined;
  readonly maxQueue?: number | null | undefined;
  readonly enabled?: boolean | undefined;
  /** Who may use it; null: everybody. */
  readonly organizations?: readonly string[] | null | undefined;
}

/** Changes of an agent. A member that is null goes back to its default; of maps, each entry does. */
export interface AgentPatch extends AgentOptions {
  readonly cardKeys?: Readonly<Record<string, unknown>> | null | undefined;
  readonly endpointOverride?: string | null | undefined;
  readonly protocolBinding?: AgentPin['protocolBinding'] | undefined;
  readonly protocolVersion?: AgentPin['protocolVersion'] | undefined;
  readonly budgets?:
    | Readonly<Partial<Record<keyof AgentBudgets, number | null>>>
    | null
    | undefined;
  readonly switches?: WrittenSwitches | null | undefined;
  readonly credentials?: Readonly<Record<string, unknown>> | null | undefined;
  readonly authentication?: WrittenAuthentication | null | undefined;
  readonly cardHeaders?: Readonly<Record<string, unknown>> | null | undefined;
}

/** {@link AgentSwitches} as an operator writes them: null is the same as absent, or takes one back. */
export type WrittenSwitches = {
  readonly [Name in keyof AgentSwitches]?: AgentSwitches[Name] | null | undefined;
};

/** How much work an agent gets. */
export type Capacity = Pick<Agent, 'weight' | 'maxConcurrent' | 'maxQueue'>;

/** The same as an operator writes it: null of the weight says nothing, of the others it takes the agent's own limit away. */
type WrittenCapacity = Pick<AgentOptions, keyof Capacity>;

export const DEFAULT_CAPACITY: Capacity = { weight: 1, maxConcurrent: null, maxQueue: null };

/** What decides where an agent is called. */
type Called = Pick<Agent, 'card' | 'pin' | 'endpointOverride' | 'refused'> & GivenCredentials;

/** What the hub calls first; throws as {@link chooseEndpoint} does. */
export function endpointOf(agent: Called): AgentEndpoint {
  return called(chooseEndpoint(agent.card, agent).endpoint, agent.endpointOverride);
}

/** The operator's override and pin after a patch. */
export function moved(agent: Agent, patch: AgentPatch): Pick<Agent, 'endpointOverride' | 'pin'> {
  const { endpointOverride = agent.endpointOverride } = patch;
  return { endpointOverride, pin: pinned(agent.pin, patch) };
}

/** How much an agent gets, with the members of a request laid over it. */
export function capacityAfter(agent: Capacity, request: WrittenCapacity): Capacity {
  const weight = request.weight ?? agent.weight;
  const { maxConcurrent = agent.maxConcurrent, maxQueue = agent.maxQueue } = request;
  return { weight, maxConcurrent, maxQueue };
}

/** A pin with the members of a request laid over it. */
export function pinned(pin: AgentPin, request: Pick<AgentPatch, keyof AgentPin>): AgentPin {
  const { protocolBinding = pin.protocolBinding, protocolVersion = pin.protocolVersion } = request;
  return { protocolBinding, protocolVersion };
}

/** Headers of a patch: each is set, or removed by null. */
export function entries(
  field: string,
  patch: Readonly<Record<string, unknown>> | null | undefined,
  grantee: Grantee,
): Record<string, string | null> | null | undefined {
  if (patch === null || patch === undefined) return patch;
  const removed = Object.keys(patch).filter((name) => patch[name] === null);
  const set = Object.entries(patch).filter(([, value]) => value !== null);
  const read = readHeaders(field, Object.fromEntries(set), grantee);
  const twice = removed.find((name) => Object.hasOwn(read, name.toLowerCase()));
  if (twice !== undefined) throw isTwice(field, twice);
  return { ...Object.fromEntries(removed.map((name) => [name.toLowerCase(), null])), ...read };
}

/** The switches with those of a request laid over them. */
export function switched(
  switches: Partial<AgentSwitches>,
  written: WrittenSwitches | null | undefined,
): Partial<AgentSwitches> {
  return patched<string, unknown>(switches, written);
}

/** A map with a patch laid over it: null removes an entry, a null patch all of them. */
export function patched<K extends string, V>(
  map: Readonly<Partial<Record<K, V>>>,
  patch: Readonly<Partial<Record<K, V | null>>> | null | undefined,
): Record<K, V> {
  const merged = patch === null ? {} : { ...map, ...patch };
  const kept = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Record<K, V>;
}

/** The credentials of a patch, read: undefined leaves what there is. */
export interface PatchedCredentials {
  readonly credentials: Readonly<Record<string, string | null>> | null | undefined;
  readonly authentication: Agent['authentication'] | undefined;
}

/**
 * The credentials after a patch, `given` being its own. An override elsewhere drops the stored ones; those
 * that are given are for every server the agent then has.
 */
export function credentialsAfter(
  agent: Agent,
  { endpointOverride }: AgentPatch,
  given: PatchedCredentials,
): Pick<Agent, 'credentials' | 'authentication' | 'credentialOrigins'> {
  const endpoint = endpointOf({ ...agent, credentials: {}, authentication: null });
  const stays = endpointOverride === undefined || isGivenFor(endpoint, agent);
  const credentials = patched(stays ? agent.credentials : {}, given.credentials);
  if (given.credentials) checkSize('credentials', credentials);
  const { authentication = stays ? agent.authentication : null } = given;
  const after = { credentials, authentication };
  if (given.credentials || given.authentication) {
    return { ...after, credentialOrigins: originsGiven({ ...agent, ...after }) };
  }
  return { ...after, credentialOrigins: hasCredentials(after) ? agent.credentialOrigins : [] };
}

/** Organizations as they are stored: each once; null stands for everybody. */
export function namesOf(organizations: readonly string[] | null | undefined): string[] | null {
  return organizations ? [...new Set(organizations)] : null;
}

export function distinct(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))].filter((tag) => tag !== '');
}
