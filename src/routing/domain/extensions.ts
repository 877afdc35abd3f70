import { namedList } from '../../common/named-list.js';
import { HubError } from '../../common/hub-error.js';
import type { AgentExtension, Message } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';

/** Extensions that a refusal lists for programs. */
const MAX_LISTED = 20;

/** What of an agent says which extensions it has. */
export interface ExtensibleAgent {
  readonly card: {
    readonly capabilities?: { readonly extensions: readonly AgentExtension[] } | undefined;
  };
}

/** The extensions a send asks for: those of its header or metadata and those its message names. */
export function requestedExtensions(
  extensions: readonly string[],
  message: Pick<Message, 'extensions'>,
): string[] {
  return [...new Set([...extensions, ...message.extensions])];
}

/**
 * The extensions an agent insists on (A2A §4.6.1) and the client did not request. The hub's own routing
 * extension is never among them: the hub itself speaks it with every agent.
 */
export function missingExtensions(
  agent: ExtensibleAgent,
  requested: ReadonlySet<string>,
): string[] {
  return declaredBy(agent)
    .filter(({ required, uri }) => required && uri !== ROUTING_EXTENSION_URI)
    .map(({ uri }) => uri)
    .filter((uri) => !requested.has(uri));
}

/** The refusal of a request that names none of these extensions (A2A §3.3.4). */
export function extensionsRequired(uris: readonly string[]): HubError {
  const message = `Extension support required: ${namedList(uris)}`;
  const extensions = uris.slice(0, MAX_LISTED).join(', ');
  return new HubError('EXTENSION_SUPPORT_REQUIRED', message, { metadata: { extensions } });
}

/** Of the extensions asked for: the hub's own and those that one of the agents declares. */
export function activeExtensions(
  requested: readonly string[],
  agents: readonly ExtensibleAgent[],
): string[] {
  const declared = new Set(agents.flatMap((agent) => declaredBy(agent).map(({ uri }) => uri)));
  return requested.filter((uri) => uri === ROUTING_EXTENSION_URI || declared.has(uri));
}

function declaredBy({ card }: ExtensibleAgent): readonly AgentExtension[] {
  return card.capabilities?.extensions ?? [];
}
