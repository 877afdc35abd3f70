import type { Agent } from '../../agents/index.js';
import type { Issuer } from '../../auth/index.js';
import type { AppConfig } from '../../config/index.js';
import type { AgentCard, AgentInterface, AgentSkill } from '../../protocol/a2a.js';
import { COMPOSITE_AGENT_ID, type CompositeSkill, hubSkillId } from '../../routing/index.js';
import { AGENT_BASE_PATH, HUB_BASE_PATH } from '../http/base-paths.js';
import { type ServedInterface, capabilitiesOf, servedInterfaces } from '../capabilities.js';
import { extensionsOf, extensionsOfAll, routingExtension } from './hub-extensions.js';
import { hubSecurity } from './hub-security.js';

/** What every card of this hub says of the hub. */
export interface HubFacts {
  readonly config: Pick<AppConfig, 'card' | 'grpc'> & {
    readonly auth: Pick<AppConfig['auth'], 'mode'>;
  };
  /** Whose access tokens the hub takes. */
  readonly issuers: readonly Issuer[];
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Where the gRPC server is reached, `host:port`; undefined while there is none. */
  readonly grpc: { readonly target: string; readonly secure: boolean } | undefined;
  readonly instanceId: string;
}

type CardAgent = Pick<Agent, 'id' | 'card' | 'tags'>;

/** Said of skills whose agent says nothing: fasta2a clients refuse a skill without modes. */
const DEFAULT_MODES = ['text/plain'];

/** The hub as one agent: the skills of all its agents and its composite ones, under ids of their own. */
export function composeHubCard(
  agents: readonly CardAgent[],
  hub: HubFacts,
  composites: readonly Pick<CompositeSkill, 'skill'>[] = [],
): AgentCard {
  const { card } = hub.config;
  const defaultInputModes = modesOf(agents.flatMap((agent) => agent.card.defaultInputModes));
  const defaultOutputModes = modesOf(agents.flatMap((agent) => agent.card.defaultOutputModes));
  return {
    name: card.name,
    description: card.description,
    version: card.version,
    provider: card.provider ? { ...card.provider } : undefined,
    supportedInterfaces: interfaces(hub, undefined),
    capabilities: {
      ...capabilitiesOf(hub.config),
      extensions: [routingExtension(hub.instanceId), ...extensionsOfAll(agents)],
    },
    ...hubSecurity(hub.config.auth.mode, hub.issuers),
    defaultInputModes,
    defaultOutputModes,
    skills: [
      ...agents.flatMap((agent) => agent.card.skills.map((skill) => hubSkill(agent, skill))),
      ...composites.map(({ skill }) =>
        compositeSkill(skill, { defaultInputModes, defaultOutputModes }),
      ),
    ],
    signatures: [],
  };
}

/**
 * One agent's card with the hub in front: the agent's words and skills, the hub's address,
 * capabilities and security. The agent's signatures do not hold for that and are left out.
 */
export function composeAgentCard(agent: CardAgent, hub: HubFacts): AgentCard {
  const { card } = agent;
  return {
    ...card,
    supportedInterfaces: interfaces(hub, agent.id),
    capabilities: {
      ...capabilitiesOf(hub.config),
      extensions: [...extensionsOf(agent), routingExtension(hub.instanceId)],
    },
    ...hubSecurity(hub.config.auth.mode, hub.issuers),
    defaultInputModes: modesOf(card.defaultInputModes),
    defaultOutputModes: modesOf(card.defaultOutputModes),
    skills: card.skills.map((skill) => ({ ...skill, ...skillModes(agent, skill) })),
    signatures: [],
  };
}

/** Where each open binding is, for the hub or for one agent behind it. */
function interfaces(hub: HubFacts, agentId: string | undefined): AgentInterface[] {
  return servedInterfaces(hub.config).flatMap((served) =>
    served.binding === 'GRPC'
      ? grpcInterface(served, hub, agentId)
      : [httpInterface(served, hub, agentId)],
  );
}

/** The path names the agent, so there is no tenant. Clients of HTTP+JSON 0.3 append `/v1` themselves. */
function httpInterface(
  { binding, version }: ServedInterface,
  { publicUrl }: HubFacts,
  agentId: string | undefined,
): AgentInterface {
  const place =
    agentId === undefined ? HUB_BASE_PATH : AGENT_BASE_PATH.replace('{agentId}', agentId);
  const url = publicUrl + place;
  return { url, protocolBinding: binding, protocolVersion: version, tenant: '' };
}

/**
 * In 1.0 the tenant names the agent; 0.3 has none, so it reaches no single agent. The specification of
 * 0.3 wants an absolute URL (§5.5.5), which its clients cannot dial.
 */
function grpcInterface(
  { binding, version }: ServedInterface,
  { grpc, config }: HubFacts,
  agentId: string | undefined,
): AgentInterface[] {
  if (!grpc || (version === '0.3' && agentId !== undefined)) return [];
  const { target, secure } = grpc;
  const asUrl = version === '0.3' && config.card.grpcUrl === 'url';
  const url = asUrl ? `${secure ? 'https' : 'http'}://${target}` : target;
  return [{ url, protocolBinding: binding, protocolVersion: version, tenant: agentId ?? '' }];
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

/** A composite skill in the hub's card; where it names no modes, those of the hub are said. */
function compositeSkill(
  skill: AgentSkill,
  hub: Pick<AgentCard, 'defaultInputModes' | 'defaultOutputModes'>,
): AgentSkill {
  return {
    ...skill,
    id: hubSkillId(COMPOSITE_AGENT_ID, skill.id),
    inputModes: skill.inputModes.length > 0 ? skill.inputModes : hub.defaultInputModes,
    outputModes: skill.outputModes.length > 0 ? skill.outputModes : hub.defaultOutputModes,
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
