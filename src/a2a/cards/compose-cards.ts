import type { Agent } from '../../agents/index.js';
import type { AppConfig } from '../../config/index.js';
import type { AgentCard, AgentInterface, AgentSkill } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { hubSkillId } from '../../routing/index.js';
import { CAPABILITIES } from '../capabilities.js';
import { SUPPORTED_VERSIONS } from '../protocol-version.js';
import { hubSecurity } from './hub-security.js';

/** What every card of this hub says of the hub. */
export interface HubFacts {
  readonly config: Pick<AppConfig, 'card' | 'auth'>;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly instanceId: string;
}

type CardAgent = Pick<Agent, 'id' | 'card' | 'tags'>;

/** Said of skills whose agent says nothing: fasta2a clients refuse a skill without modes. */
const DEFAULT_MODES = ['text/plain'];

/** The hub as one agent: the skills of all its agents, under ids of their own. */
export function composeHubCard(agents: readonly CardAgent[], hub: HubFacts): AgentCard {
  const { card } = hub.config;
  return {
    name: card.name,
    description: card.description,
    version: card.version,
    provider: card.provider ? { ...card.provider } : undefined,
    supportedInterfaces: interfacesAt(`${hub.publicUrl}/a2a`),
    capabilities: { ...CAPABILITIES, extensions: [routingExtension(hub)] },
    ...hubSecurity(hub.config.auth.mode),
    defaultInputModes: modesOf(agents.flatMap((agent) => agent.card.defaultInputModes)),
    defaultOutputModes: modesOf(agents.flatMap((agent) => agent.card.defaultOutputModes)),
    skills: agents.flatMap((agent) => agent.card.skills.map((skill) => hubSkill(agent, skill))),
    signatures: [],
  };
}

/**
 * One agent's card with the hub in front: the agent's words and skills, the hub's address,
 * capabilities and security. The agent's signatures do not hold for that and are left out.
 */
export function composeAgentCard(agent: CardAgent, hub: HubFacts): AgentCard {
  const { card } = agent;
  const extensions = (card.capabilities?.extensions ?? []).filter(
    ({ uri }) => uri !== ROUTING_EXTENSION_URI,
  );
  return {
    ...card,
    supportedInterfaces: interfacesAt(`${hub.publicUrl}/a2a/agents/${agent.id}`),
    capabilities: { ...CAPABILITIES, extensions: [...extensions, routingExtension(hub)] },
    ...hubSecurity(hub.config.auth.mode),
    defaultInputModes: modesOf(card.defaultInputModes),
    defaultOutputModes: modesOf(card.defaultOutputModes),
    skills: card.skills.map((skill) => ({ ...skill, ...skillModes(agent, skill) })),
    signatures: [],
  };
}

/** JSON-RPC in every version, the newest first: some clients take the first whatever it is. */
function interfacesAt(url: string): AgentInterface[] {
  return SUPPORTED_VERSIONS.map((protocolVersion) => ({
    url,
    protocolBinding: 'JSONRPC',
    protocolVersion,
    tenant: '',
  }));
}

function routingExtension({ instanceId }: HubFacts): {
  uri: string;
  description: string;
  required: boolean;
  params: Record<string, unknown>;
} {
  return {
    uri: ROUTING_EXTENSION_URI,
    description:
      'Says who handles a message: agentId, skillId, tags with match, strategy, and limits, under this URI in the metadata of the message or the request.',
    required: false,
    params: { instanceId },
  };
}

/** A skill in the hub's card: its agent's id before its own, its agent's name in the description. */
function hubSkill(agent: CardAgent, skill: AgentSkill): AgentSkill {
  return {
    ...skill,
    id: hubSkillId(agent.id, skill.id),
    description: [skill.description, `Agent: ${agent.card.name}.`].filter(Boolean).join(' '),
    tags: withoutRepeats([...skill.tags, ...agent.tags]),
    ...skillModes(agent, skill),
  };
}

/** What only the agent itself would check is not asked of the hub's callers. */
function skillModes(
  { card }: CardAgent,
  skill: AgentSkill,
): Pick<AgentSkill, 'inputModes' | 'outputModes' | 'securityRequirements'> {
  const { inputModes, outputModes } = skill;
  return {
    inputModes: inputModes.length > 0 ? inputModes : modesOf(card.defaultInputModes),
    outputModes: outputModes.length > 0 ? outputModes : modesOf(card.defaultOutputModes),
    securityRequirements: [],
  };
}

function modesOf(modes: readonly string[]): string[] {
  return modes.length > 0 ? withoutRepeats(modes) : DEFAULT_MODES;
}

/** The first spelling of each, whatever the case of the others. */
function withoutRepeats(words: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const word of words) {
    const key = word.trim().toLowerCase();
    if (!seen.has(key)) seen.set(key, word);
  }
  return [...seen.values()];
}
