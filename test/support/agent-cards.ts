import type { AgentCard, AgentInterface } from '@a2a-js/sdk';
import type { AgentBinding, SdkAgentOptions } from './agent-options.js';
import type { JsonObject } from './json.js';

/** Where the agent's ports are: an origin for HTTP, `host:port` for gRPC. */
export interface AgentAddresses {
  readonly http: string;
  readonly grpc: string;
}

/** Below which path of the HTTP port a binding is served. */
export const REST_PATH = '/rest';

/** The agent's card, with one interface for each binding and version it speaks. */
export function currentCard(
  bindings: readonly AgentBinding[],
  addresses: AgentAddresses,
  options: SdkAgentOptions,
): AgentCard {
  const versions = options.version === 'both' ? ['1.0', '0.3'] : [options.version ?? '1.0'];
  const skills = options.skills ?? [{ id: 'echo', tags: ['echo'] }];
  return {
    name: options.name ?? 'Test agent',
    description: 'An agent of the tests.',
    supportedInterfaces: bindings.flatMap((protocolBinding) =>
      versions.map((protocolVersion): AgentInterface => ({
        url: urlOf(protocolBinding, addresses),
        protocolBinding,
        protocolVersion,
        tenant: '',
      })),
    ),
    provider: undefined,
    version: '1.0.0',
    capabilities: {
      streaming: options.streaming ?? true,
      pushNotifications: false,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: skills.map((skill) => ({
      id: skill.id,
      name: skill.name ?? skill.id,
      description: skill.description ?? `Skill ${skill.id}`,
      tags: skill.tags ?? [skill.id],
      examples: [],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    })),
    documentationUrl: '',
    signatures: [],
    ...options.card,
  };
}

/** The card as an agent of protocol 0.3 publishes it. */
export function legacyCard(card: AgentCard): JsonObject {
  const [first, ...others] = card.supportedInterfaces;
  return {
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    url: first?.url,
    preferredTransport: first?.protocolBinding,
    ...(others.length > 0 && {
      additionalInterfaces: others.map((one) => ({ url: one.url, transport: one.protocolBinding })),
    }),
    version: card.version,
    capabilities: {
      streaming: card.capabilities?.streaming ?? false,
      pushNotifications: card.capabilities?.pushNotifications ?? false,
    },
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(({ id, name, description, tags }) => ({ id, name, description, tags })),
  };
}

function urlOf(binding: AgentBinding, addresses: AgentAddresses): string {
  if (binding === 'GRPC') return addresses.grpc;
  return addresses.http + (binding === 'JSONRPC' ? '/' : REST_PATH);
}
