import { invalidField } from '../../common/hub-error.js';
import type { AgentCard, AgentInterface } from '../../protocol/a2a.js';
import type { Agent, AgentEndpoint, AgentPin } from '../agent.js';
import {
  type GivenCredentials,
  hasCredentials,
  isGivenFor,
  originsOf,
} from './credential-origins.js';
import { bindingOf, isBindingName, rankOf } from '../binding/bindings.js';

/** What the hub thinks of one interface of a card. */
export interface InterfaceReport {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  readonly chosen: boolean;
  /** Why it is called or not. */
  readonly reason: string;
}

export interface EndpointChoice {
  readonly endpoint: AgentEndpoint;
  readonly interfaces: readonly InterfaceReport[];
}

/** What keeps the hub from interfaces it speaks; an agent has it all. */
export type InterfaceLimits = Partial<
  Pick<Agent, 'pin' | 'endpointOverride' | 'refused'> & GivenCredentials
>;

const NOT_PINNED = 'the operator pinned another';
const NOT_GIVEN = 'the credentials were not given for this server';
const UNPINNED: AgentPin = { protocolBinding: null, protocolVersion: null };

/**
 * The interface the hub calls first, and what it thinks of each. Throws HubError INVALID_PARAMS, with
 * the reason for each interface, when it can call none.
 */
export function chooseEndpoint(card: AgentCard, limits: InterfaceLimits = {}): EndpointChoice {
  const [endpoint] = callableEndpoints(card, limits);
  if (endpoint === undefined) throw nothingToCall(card, limits);
  return { endpoint, interfaces: judgedInterfaces(card, limits) };
}

/**
 * The interfaces the hub may call: those of bindings and versions it speaks that nothing of the limits
 * excludes, the best first, in the card's order among equals.
 */
export function callableEndpoints(
  card: AgentCard,
  limits: InterfaceLimits = {},
): readonly AgentEndpoint[] {
  return ranked(judgedAll(card, limits)).flatMap(({ endpoint }) => endpoint ?? []);
}

/** Every interface of the card, in its order, with the hub's reason to call it or not. */
export function judgedInterfaces(
  card: AgentCard,
  limits: InterfaceLimits,
): readonly InterfaceReport[] {
  const judged = judgedAll(card, limits);
  const [best] = ranked(judged);
  return judged.map((one) => ({
    url: one.written.url,
    protocolBinding: one.written.protocolBinding,
    protocolVersion: one.written.protocolVersion,
    chosen: one === best,
    reason: one === best ? calledBecause(limits.pin ?? UNPINNED) : one.reason,
  }));
}

/** The endpoint with the operator's URL in it, if there is one. */
export function called(endpoint: AgentEndpoint, override: string | null): AgentEndpoint {
  return override === null ? endpoint : { ...endpoint, url: override };
}

/**
 * The servers that credentials are for which are given now: that of the override, else all that the hub
 * may call by the card, whatever the pin. Without credentials none.
 */
export function originsGiven(
  agent: Pick<Agent, 'card' | 'pin' | 'endpointOverride' | 'refused'> & GivenCredentials,
): string[] {
  const { card, pin, endpointOverride, refused } = agent;
  if (!hasCredentials(agent)) return [];
  const endpoints =
    endpointOverride === null
      ? callableEndpoints(card, { refused })
      : [called(chooseEndpoint(card, { pin }).endpoint, endpointOverride)];
  return [...new Set(endpoints.flatMap(originsOf))];
}

function judgedAll(card: AgentCard, limits: InterfaceLimits): readonly Judged[] {
  return card.supportedInterfaces.map((one) => judge(one, limits));
}

function ranked(judged: readonly Judged[]): readonly Judged[] {
  return judged
    .filter(({ endpoint }) => endpoint !== undefined)
    .toSorted((a, b) => a.rank - b.rank);
}

interface Judged {
  readonly written: AgentInterface;
  readonly rank: number;
  readonly reason: string;
  readonly endpoint: AgentEndpoint | undefined;
}

function judge(written: AgentInterface, limits: InterfaceLimits): Judged {
  const { url, tenant } = written;
  const { pin = UNPINNED } = limits;
  // A2A writes the names of bindings in capitals; some cards do not.
  const protocolBinding = written.protocolBinding.toUpperCase();
  const no = (reason: string): Judged => ({ written, rank: Infinity, reason, endpoint: undefined });
  if (!isBindingName(protocolBinding)) return no('the binding is unknown');
  const protocolVersion = spokenVersion(written.protocolVersion);
  if (protocolVersion === undefined) return no('the protocol version is not 0.2, 0.3 or 1.x');
  const binding = bindingOf(protocolBinding);
  if (binding.urls(url).length === 0) return no(`the url is not ${binding.addressRule}`);
  if (protocolBinding !== (pin.protocolBinding ?? protocolBinding)) return no(NOT_PINNED);
  if (protocolVersion !== (pin.protocolVersion ?? protocolVersion)) return no(NOT_PINNED);
  const endpoint = { url, protocolBinding, protocolVersion, tenant };
  const excluded = excludedBecause(endpoint, limits);
  if (excluded !== undefined) return no(excluded);
  return {
    written,
    rank: rankOf(protocolBinding, protocolVersion),
    reason: isFull(pin) ? 'another one of the pin comes first' : 'another interface is preferred',
    endpoint,
  };
}

/** An operator's override is called instead of any of them, so only what it speaks counts then. */
function excludedBecause(endpoint: AgentEndpoint, limits: InterfaceLimits): string | undefined {
  const { endpointOverride = null, refused = [] } = limits;
  if (endpointOverride !== null) return undefined;
  const refusal = refused.find(
    ({ url, protocolBinding }) =>
      url === endpoint.url && protocolBinding === endpoint.protocolBinding,
  );
  if (refusal !== undefined) return refusal.reason;
  return isGivenFor(endpoint, limits) ? undefined : NOT_GIVEN;
}

/** Whether the pin leaves no choice. */
export function isFull(pin: AgentPin): boolean {
  return pin.protocolBinding !== null && pin.protocolVersion !== null;
}

function nothingToCall(card: AgentCard, limits: InterfaceLimits): Error {
  const judged = judgedInterfaces(card, limits);
  const reasons = judged
    .map((one) => `${one.protocolBinding} ${one.protocolVersion} at ${one.url}: ${one.reason}`)
    .join('; ');
  const { protocolBinding, protocolVersion } = limits.pin ?? UNPINNED;
  if (judged.some(({ reason }) => reason === NOT_GIVEN)) {
    return invalidField(
      'credentials',
      `are for other servers than the card names now (${reasons}); to use the card, take them away, and give them again afterwards`,
    );
  }
  if (protocolBinding === null && protocolVersion === null) {
    return invalidField('card.supportedInterfaces', `has no interface the hub speaks (${reasons})`);
  }
  const pinned = [protocolBinding, protocolVersion].filter((part) => part !== null).join(' ');
  const field = protocolBinding === null ? 'protocolVersion' : 'protocolBinding';
  return invalidField(
    field,
    `is of no interface of the card: it has no ${pinned} that the hub speaks (${reasons})`,
  );
}

function calledBecause(pin: AgentPin): string {
  const pinned = pin.protocolBinding !== null || pin.protocolVersion !== null;
  return pinned ? 'called: pinned' : 'called';
}

function spokenVersion(version: string): AgentEndpoint['protocolVersion'] | undefined {
  if (/^1(\.|$)/.test(version)) return '1.0';
  return /^0\.3(\.|$)/.test(version) ? '0.3' : undefined;
}
