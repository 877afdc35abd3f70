import type { AppConfig } from '../config/index.js';
import type { AgentInterface } from '../protocol/a2a.js';
import type { ProtocolVersion } from '../routing/index.js';

/** The optional parts of A2A (§3.3.4), under their names in a card. */
export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';
export type Capabilities = Readonly<Record<Capability, boolean>>;

/** One way in: a binding in one version. */
export interface Door {
  readonly binding: AgentInterface['protocolBinding'];
  readonly version: ProtocolVersion;
}

/**
 * Every door there is ({@link checkListed} holds what is mounted to it). Cards list them in this order:
 * JSON-RPC first, because some clients take the first interface whatever it is, and of each binding the
 * newest version first.
 */
const DOORS: readonly Door[] = [
  { binding: 'JSONRPC', version: '1.0' },
  { binding: 'JSONRPC', version: '0.3' },
  { binding: 'HTTP+JSON', version: '1.0' },
  { binding: 'HTTP+JSON', version: '0.3' },
  { binding: 'GRPC', version: '1.0' },
  { binding: 'GRPC', version: '0.3' },
];

/** The doors that this configuration opens. */
export function openDoors({ grpc }: Pick<AppConfig, 'grpc'>): readonly Door[] {
  return DOORS.filter(({ binding }) => binding !== 'GRPC' || grpc.port !== 0);
}

/** Throws for a door that cards would not tell of; asked wherever one is mounted. */
export function checkListed({ binding, version }: Door): void {
  if (DOORS.some((door) => door.binding === binding && door.version === version)) return;
  throw new Error(`The door ${binding} ${version} is mounted and in no card.`);
}

/**
 * What cards declare, and what is refused when it is false (A2A §3.3.4); every door serves all of it. An
 * extended card is for callers that prove who they are, so it needs keys.
 */
export function capabilitiesOf({ auth }: Pick<AppConfig, 'auth'>): Capabilities {
  return { streaming: true, pushNotifications: true, extendedAgentCard: auth.mode === 'keys' };
}
