import { invalidField } from '../../common/hub-error.js';
import type { AgentCard, AgentInterface } from '../../protocol/a2a.js';
import type { AgentEndpoint } from '../agent.js';

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

/** Best first. What is not here the hub does not speak. */
const PREFERENCE = ['JSONRPC 1.0', 'JSONRPC 0.3', 'HTTP+JSON 1.0', 'HTTP+JSON 0.3'];

/**
 * The interface the hub will call: the best binding and version it speaks, in the card's order among
 * equals. Throws HubError INVALID_PARAMS, with the reason for each interface, when there is none.
 */
export function chooseEndpoint(card: AgentCard): EndpointChoice {
  const judged = card.supportedInterfaces.map(judge);
  const best = judged
    .filter((one) => one.endpoint !== undefined)
    .sort((a, b) => a.rank - b.rank)[0];
  if (best?.endpoint === undefined) {
    const reasons = judged.map((one) => `${one.written}: ${one.reason}`).join('; ');
    throw invalidField('card.supportedInterfaces', `no interface the hub speaks (${reasons})`);
  }
  const interfaces = judged.map((one, index) => ({
    url: card.supportedInterfaces[index]?.url ?? '',
    protocolBinding: card.supportedInterfaces[index]?.protocolBinding ?? '',
    protocolVersion: card.supportedInterfaces[index]?.protocolVersion ?? '',
    chosen: one === best,
    reason: one === best ? 'called' : one.reason,
  }));
  return { endpoint: best.endpoint, interfaces };
}

interface Judged {
  readonly written: string;
  readonly rank: number;
  readonly reason: string;
  readonly endpoint: AgentEndpoint | undefined;
}

function judge(one: AgentInterface): Judged {
  const protocolBinding = one.protocolBinding.toUpperCase();
  const written = `${protocolBinding} ${one.protocolVersion} at ${one.url}`;
  const no = (reason: string): Judged => ({ written, rank: Infinity, reason, endpoint: undefined });
  if (protocolBinding === 'GRPC') return no('gRPC is not spoken yet');
  if (protocolBinding !== 'JSONRPC' && protocolBinding !== 'HTTP+JSON') {
    return no('the binding is unknown');
  }
  const protocolVersion = spokenVersion(one.protocolVersion);
  if (protocolVersion === undefined) return no('the protocol version is not 0.2, 0.3 or 1.x');
  if (!/^https?:\/\//i.test(one.url) || !URL.canParse(one.url)) {
    return no('the url is not an absolute http(s) URL');
  }
  return {
    written,
    rank: PREFERENCE.indexOf(`${protocolBinding} ${protocolVersion}`),
    reason: 'another interface is preferred',
    endpoint: { url: one.url, protocolBinding, protocolVersion, tenant: one.tenant },
  };
}

function spokenVersion(version: string): AgentEndpoint['protocolVersion'] | undefined {
  if (/^1(\.|$)/.test(version)) return '1.0';
  return /^0\.3(\.|$)/.test(version) ? '0.3' : undefined;
}
