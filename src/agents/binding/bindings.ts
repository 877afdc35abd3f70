import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../protocol/protocol-version.js';
import type { Binding } from './binding.js';
import { GRPC } from './agent-grpc.binding.js';
import { HTTP_JSON } from './agent-http-json.binding.js';
import { JSON_RPC } from './agent-json-rpc.binding.js';

/** Every binding the hub calls agents in; first the one that costs the hub and the network between least. */
export const BINDINGS = [JSON_RPC, HTTP_JSON, GRPC] as const satisfies readonly Binding[];

export type BindingName = (typeof BINDINGS)[number]['name'];

export const BINDING_NAMES: readonly BindingName[] = BINDINGS.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, Binding> = new Map(BINDINGS.map((each) => [each.name, each]));

export function bindingOf(name: BindingName): Binding {
  return BY_NAME.get(name)!;
}

export function isBindingName(name: string): name is BindingName {
  return BY_NAME.has(name);
}

/** The lower, the better: by version, of which the newer loses less, and within it by binding. */
export function rankOf(name: BindingName, version: ProtocolVersion): number {
  return PROTOCOL_VERSIONS.indexOf(version) * BINDINGS.length + BINDING_NAMES.indexOf(name);
}

/** The connections of every binding. */
export function connectAll(...args: Parameters<Binding['connect']>): Connectors {
  const opened = new Map(BINDINGS.map((each) => [each.name, each.connect(...args)]));
  return {
    of: (name) => opened.get(name)!,
    close: () => opened.forEach((each) => each.close()),
  };
}

export interface Connectors {
  of(name: BindingName): ReturnType<Binding['connect']>;
  close(): void;
}
