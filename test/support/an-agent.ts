import type { Agent } from '../../src/agents/agent.js';
import { originsGiven } from '../../src/agents/endpoint/choose-endpoint.js';
import { parseCard } from '../../src/agents/card/parse-card.js';

const UNSIGNED: Agent['signature'] = {
  outcome: 'unsigned',
  keyId: null,
  algorithm: null,
  keySource: null,
  keyThumbprint: null,
  wasVerified: false,
  reason: 'The card is not signed.',
};

/** An agent with one skill, changed as the test needs it. */
export function anAgent(id: string, changes: Partial<Agent> = {}, card: object = {}): Agent {
  const json = {
    name: `Agent ${id}`,
    description: 'Does something',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `https://${id}.example/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Working', description: 'Works', tags: ['Work'] }],
    ...card,
  };
  const agent: Agent = {
    id,
    card: parseCard(json),
    originalCard: JSON.stringify(json),
    cardUrl: null,
    cardHeaders: {},
    cardKeys: null,
    signature: UNSIGNED,
    endpoint: {
      url: `https://${id}.example/a2a`,
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
      tenant: '',
    },
    endpointOverride: null,
    pin: { protocolBinding: null, protocolVersion: null },
    refused: [],
    credentials: {},
    authentication: null,
    credentialOrigins: [],
    tags: [],
    priority: 0,
    weight: 1,
    maxConcurrent: null,
    maxQueue: null,
    enabled: true,
    organizations: null,
    budgets: {},
    switches: {},
    source: 'api',
    createdAt: new Date(1_700_000_000_000),
    updatedAt: new Date(1_700_000_000_001),
    cardTrouble: null,
    deletedAt: null,
    ...changes,
  };
  const { credentialOrigins = originsGiven(agent) } = changes;
  return { ...agent, credentialOrigins };
}

/** For tests that do not look at the deviations of agents. */
export const NO_DEVIATIONS = { note: (): void => undefined };

/** Of an agent client whose agents have headers alone. */
export const NO_PROOFS = { prove: () => Promise.resolve({ headers: {}, secrets: [] }) };

/** Of an agent client whose agents are not registered. */
export const NO_REGISTRY = {
  newest: () => Promise.resolve(undefined),
  closedTo: () => undefined,
};

/** Of an agent client whose agents do not want to know who calls. */
export const NO_CALLERS = { issue: () => Promise.reject(new Error('nobody asks for it')) };

export { NO_REFERENCES } from '../../src/common/fake-secrets.js';
