import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../../agents/index.js';
import type { AgentExtension } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';

type CardAgent = Pick<Agent, 'card'>;

/** The extension by which callers say who handles a message, with the id of this hub. */
export function routingExtension(instanceId: string): AgentExtension {
  return {
    uri: ROUTING_EXTENSION_URI,
    description:
      'Says who handles a message: agentId, skillId, tags with match, strategy, and limits, under this URI in the metadata of the message or the request.',
    required: false,
    params: { instanceId },
  };
}

/** What an agent declares itself; the hub's own extension is the hub's to declare. */
export function extensionsOf({ card }: CardAgent): readonly AgentExtension[] {
  return (card.capabilities?.extensions ?? []).filter(({ uri }) => uri !== ROUTING_EXTENSION_URI);
}

/**
 * The extensions of all agents, each once and with the names of its agents. The hub requires none: a
 * message that does not ask for one goes to an agent that does not need it. Parameters are there where
 * all its agents agree on them.
 */
export function extensionsOfAll(agents: readonly CardAgent[]): AgentExtension[] {
  const byUri = new Map<string, { declared: AgentExtension[]; names: string[] }>();
  for (const agent of agents) {
    for (const extension of extensionsOf(agent)) {
      const entry = byUri.get(extension.uri) ?? { declared: [], names: [] };
      byUri.set(extension.uri, entry);
      entry.declared.push(extension);
      entry.names.push(agent.card.name);
    }
  }
  return [...byUri].map(([uri, { declared, names }]) => {
    const [first] = declared;
    const description = declared.find((each) => each.description !== '')?.description ?? '';
    const agreed = declared.every(({ params }) => isDeepStrictEqual(params, first?.params));
    return {
      uri,
      description: [description, `${names.length === 1 ? 'Agent' : 'Agents'}: ${names.join(', ')}.`]
        .filter(Boolean)
        .join(' '),
      required: false,
      params: agreed ? first?.params : undefined,
    };
  });
}
