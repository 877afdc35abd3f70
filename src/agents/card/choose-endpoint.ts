import { invalidField } from '../../common/hub-error.js';
import type { AgentCard, AgentInterface } from '../../protocol/a2a.js';
import type { AgentEndpoint, AgentPin } from '../agent.js';
import { grpcUrls } from './grpc-url.js';

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

/**
 * Best first: the newer version, which loses less, and within it the binding that costs the hub and
 * the network between least. What is not here the hub does not speak.
 */
const PREFERENCE = [
  'JSONRPC 1.0',
  'HTTP+JSON 1.0',
  'GRPC 1.0',
  'JSONRPC 0.3',
  'HTTP+JSON 0.3',
  'GRPC 0.3',
];

const NOT_PINNED = 'the operator pinned another';
const UNPINNED: AgentPin = { protocolBinding: null, protocolVersion: null };

/**
 * The interface the hub calls first, and what it thinks of each. Throws HubError INVALID_PARAMS, with
 * the reason for each interface, when it can call none.
 */
export function chooseEndpoint(card: AgentCard, pin: AgentPin = UNPINNED): EndpointChoice {
  const [endpoint] = callableEndpoints(card, pin);
  if (endpoint === undefined) throw nothingToCall(card, pin);
  return { endpoint, interfaces: judgedInterfaces(card, pin) };
}

/**
 * The interfaces the hub may call: those of bindings and versions it speaks that the operator's pin
 * allows, the best first, in the card's order among equals.
 */
export function callableEndpoints(card: AgentCard, pin: AgentPin): readonly AgentEndpoint[] {
  return ranked(judgedAll(card, pin)).flatMap(({ endpoint }) => endpoint ?? []);
}

/** Every interface of the card, in its order, with the hub's reason to call it or not. */
export function judgedInterfaces(card: AgentCard, pin: AgentPin): readonly InterfaceReport[] {
  const judged = judgedAll(card, pin);
  const [best] = ranked(judged);
  return judged.map((one) => ({
    url: one.written.url,
    protocolBinding: one.written.protocolBinding,
    protocolVersion: one.written.protocolVersion,
    chosen: one === best,
    reason: one === best ? calledBecause(pin) : one.reason,
  }));
}

function judgedAll(card: AgentCard, pin: AgentPin): readonly Judged[] {
  return card.supportedInterfaces.map((one) => judge(one, pin));
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

function judge(written: AgentInterface, pin: AgentPin): Judged {
  const { url, tenant } = written;
  const protocolBinding = written.protocolBinding.toUpperCase();
  const no = (reason: string): Judged => ({ written, rank: Infinity, reason, endpoint: undefined });
  if (!isSpoken(protocolBinding)) return no('the binding is unknown');
  const protocolVersion = spokenVersion(written.protocolVersion);
  if (protocolVersion === undefined) return no('the protocol version is not 0.2, 0.3 or 1.x');
  if (protocolBinding === 'GRPC') {
    if (grpcUrls(url).length === 0) return no('the url is not host:port');
  } else if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return no('the url is not an absolute http(s) URL');
  }
  if (protocolBinding !== (pin.protocolBinding ?? protocolBinding)) return no(NOT_PINNED);
  if (protocolVersion !== (pin.protocolVersion ?? protocolVersion)) return no(NOT_PINNED);
  return {
    written,
    rank: PREFERENCE.indexOf(`${protocolBinding} ${protocolVersion}`),
    reason: isFull(pin) ? 'another one of the pin comes first' : 'another interface is preferred',
    endpoint: { url, protocolBinding, protocolVersion, tenant },
  };
}

/** Whether the pin leaves no choice. */
export function isFull(pin: AgentPin): boolean {
  return pin.protocolBinding !== null && pin.protocolVersion !== null;
}

function nothingToCall(card: AgentCard, pin: AgentPin): Error {
  const reasons = judgedInterfaces(card, pin)
    .map((one) => `${one.protocolBinding} ${one.protocolVersion} at ${one.url}: ${one.reason}`)
    .join('; ');
  const { protocolBinding, protocolVersion } = pin;
  if (protocolBinding === null && protocolVersion === null) {
    return invalidField('card.supportedInterfaces', `no interface the hub speaks (${reasons})`);
  }
  const pinned = [protocolBinding, protocolVersion].filter((part) => part !== null).join(' ');
  const field = protocolBinding === null ? 'protocolVersion' : 'protocolBinding';
  return invalidField(
    field,
    `the card has no interface ${pinned} that the hub speaks (${reasons})`,
  );
}

function calledBecause(pin: AgentPin): string {
  const pinned = pin.protocolBinding !== null || pin.protocolVersion !== null;
  return pinned ? 'called: pinned' : 'called';
}

function isSpoken(binding: string): binding is AgentEndpoint['protocolBinding'] {
  return binding === 'JSONRPC' || binding === 'HTTP+JSON' || binding === 'GRPC';
}

function spokenVersion(version: string): AgentEndpoint['protocolVersion'] | undefined {
  if (/^1(\.|$)/.test(version)) return '1.0';
  return /^0\.3(\.|$)/.test(version) ? '0.3' : undefined;
}
