import type { AppConfig } from '../config/index.js';
import type { AgentInterface } from '../protocol/a2a.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** The optional parts of A2A (§3.3.4), under their names in a card. */
export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';
export type Capabilities = Readonly<Record<Capability, boolean>>;

/** A binding in one version, as the hub serves it and its cards list it. */
export interface ServedInterface {
  readonly binding: AgentInterface['protocolBinding'];
  readonly version: ProtocolVersion;
}

/**
 * Every binding there is ({@link checkListed} holds what is mounted to it). Cards list them in this order:
 * JSON-RPC first, because some clients take the first interface whatever it is, and of each binding the
 * newest version first.
 */
const INTERFACES: readonly ServedInterface[] = [
  { binding: 'JSONRPC', version: '1.0' },
  { binding: 'JSONRPC', version: '0.3' },
  { binding: 'HTTP+JSON', version: '1.0' },
  { binding: 'HTTP+JSON', version: '0.3' },
  { binding: 'GRPC', version: '1.0' },
  { binding: 'GRPC', version: '0.3' },
];

/** The bindings that this configuration opens. */
export function servedInterfaces({ grpc }: Pick<AppConfig, 'grpc'>): readonly ServedInterface[] {
  return INTERFACES.filter(({ binding }) => binding !== 'GRPC' || grpc.port !== 0);
}

/** Throws for a binding that no card lists; called wherever one is mounted. */
export function checkListed({ binding, version }: ServedInterface): void {
  if (INTERFACES.some((each) => each.binding === binding && each.version === version)) return;
  throw new Error(`The binding ${binding} ${version} is mounted and in no card.`);
}

/**
 * What cards declare, and what is refused when it is false (A2A §3.3.4); every binding serves all of it. An
 * extended card is for callers that prove who they are, so it needs keys.
 */
export function capabilitiesOf({
  auth,
}: {
  readonly auth: Pick<AppConfig['auth'], 'mode'>;
}): Capabilities {
  return { streaming: true, pushNotifications: true, extendedAgentCard: auth.mode === 'keys' };
}
