import type { AppConfig } from '../config/index.js';
import type { AgentInterface } from '../protocol/a2a.js';
import type { ProtocolVersion } from '../routing/index.js';

/** The optional parts of A2A (§3.3.4), under their names in a card. */
export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';
export type Capabilities = Readonly<Record<Capability, boolean>>;

/** One way in: a binding in one version, with the optional parts of A2A it serves. */
export interface Door {
  readonly binding: AgentInterface['protocolBinding'];
  readonly version: ProtocolVersion;
  readonly serves: readonly Capability[];
}

const EVERYTHING: readonly Capability[] = ['streaming', 'pushNotifications', 'extendedAgentCard'];

/**
 * Every door that is wired. Cards list them in this order: JSON-RPC first, because some clients take the
 * first interface whatever it is, and of each binding the newest version first.
 */
const DOORS: readonly Door[] = [
  { binding: 'JSONRPC', version: '1.0', serves: EVERYTHING },
  { binding: 'JSONRPC', version: '0.3', serves: EVERYTHING },
  { binding: 'HTTP+JSON', version: '1.0', serves: EVERYTHING },
  { binding: 'HTTP+JSON', version: '0.3', serves: EVERYTHING },
  { binding: 'GRPC', version: '1.0', serves: EVERYTHING },
  { binding: 'GRPC', version: '0.3', serves: EVERYTHING },
];

/** The doors that this configuration opens. */
export function openDoors({ grpc }: Pick<AppConfig, 'grpc'>): readonly Door[] {
  return DOORS.filter(({ binding }) => binding !== 'GRPC' || grpc.port !== 0);
}

/**
 * What cards declare, and what is refused when it is false (A2A §3.3.4): what every open door serves.
 * An extended card is for callers that prove who they are, so it needs keys.
 */
export function capabilitiesOf(config: Pick<AppConfig, 'auth' | 'grpc'>): Capabilities {
  const doors = openDoors(config);
  const served = (part: Capability): boolean => doors.every(({ serves }) => serves.includes(part));
  return {
    streaming: served('streaming'),
    pushNotifications: served('pushNotifications'),
    extendedAgentCard: served('extendedAgentCard') && config.auth.mode === 'keys',
  };
}
