import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../agents/index.js';
import type { Issuer } from '../../auth/index.js';
import { AgentCard } from '../../protocol/a2a.js';
import { type CardForm, renderCard } from './card-forms.js';
import { type HubFacts, composeAgentCard, composeHubCard } from './compose-cards.js';

// A test looks into JSON freely.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;

const HUB: HubFacts = {
  config: {
    card: {
      name: 'Test hub',
      description: 'Many agents.',
      version: '1.2.3',
      provider: { organization: 'Tests', url: 'https://example.com' },
      sign: true,
      grpcUrl: 'address',
    },
    auth: { mode: 'keys' },
    grpc: { port: 0, publicUrl: null, tlsCertificate: null, tlsKey: null, tlsClientCa: null },
  },
  issuers: [],
  takesCertificates: false,
  publicUrl: 'https://hub.example.com/base',
  grpc: undefined,
  instanceId: 'hub-1',
};

const AGENT = agent('csv', {
  skills: [
    { id: 'profile', name: 'Profile', description: 'Profiles CSV.', tags: ['csv', 'Data'] },
    { id: 'plot', name: 'Plot', description: '', tags: ['data'], inputModes: ['text/csv'] },
  ],
  signatures: [{ protected: 'x', signature: 'y' }],
  securitySchemes: { own: { mtlsSecurityScheme: {} } },
  iconUrl: 'https://example.com/icon.png',
});

describe("the hub's card", () => {
  const card = composeHubCard([AGENT, agent('echo', { skills: [] })], HUB);

  it('offers every skill under an id of its own, with its origin and the tags of both', () => {
    expect(card.skills).toEqual([
      {
        id: 'csv.profile',
        name: 'Profile',
        description: 'Profiles CSV. Agent: Agent csv.',
        tags: ['csv', 'Data', 'team-a'],
        examples: [],
        inputModes: ['text/plain'],
        outputModes: ['application/json'],
        securityRequirements: [],
      },
      expect.objectContaining({
        id: 'csv.plot',
        description: 'Agent: Agent csv.',
        inputModes: ['text/csv'],
      }),
    ]);
  });

  it('declares the routing extension with the id of this hub', () => {
    expect(card.capabilities).toMatchObject({
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [
        { uri: 'urn:a2a-hub:routing:v1', required: false, params: { instanceId: 'hub-1' } },
      ],
    });
  });

  it('has the 1.0 form of the specification: camelCase, no members of 0.3', () => {
    const json = form(card, '1.0');
    expect(Object.keys(json).sort()).toEqual([
      'capabilities',
      'defaultInputModes',
      'defaultOutputModes',
      'description',
      'name',
      'provider',
      'securityRequirements',
      'securitySchemes',
      'skills',
      'supportedInterfaces',
      'version',
    ]);
    const url = 'https://hub.example.com/base/a2a';
    expect(json['supportedInterfaces']).toEqual([
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ]);
  });

  it('has every required member in its 1.0 form, also those that are empty', () => {
    const bare = agent('bare', { description: '', skills: [{ id: 'do', name: 'Do' }] });
    const json = form(composeAgentCard(bare, HUB), '1.0');
    expect(json).toMatchObject({ description: '', skills: [{ description: '', tags: [] }] });
    expect(form(composeHubCard([], HUB), '1.0')).toMatchObject({ skills: [] });
  });

  it('has a 0.3 form that a 0.3 client reads', () => {
    const json = form(card, '0.3');
    expect(json).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'https://hub.example.com/base/a2a',
      preferredTransport: 'JSONRPC',
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    });
    expect(json).not.toHaveProperty('supportedInterfaces');
    const read = parseLegacyAgentCard(json);
    expect(read.supportedInterfaces[0]).toMatchObject({ protocolBinding: 'JSONRPC' });
    expect(read.securityRequirements).toHaveLength(2);
    expect(read.skills).toHaveLength(2);
  });

  it('has a union form with both shapes of each security scheme, and plain scopes', () => {
    const json = form(card, 'union');
    expect(json).toMatchObject({
      url: 'https://hub.example.com/base/a2a',
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportsAuthenticatedExtendedCard: true,
      additionalInterfaces: [
        { url: 'https://hub.example.com/base/a2a', transport: 'JSONRPC' },
        { url: 'https://hub.example.com/base/a2a', transport: 'HTTP+JSON' },
      ],
      security: [{ bearer: [] }, { apiKey: [] }],
      securityRequirements: [{ schemes: { bearer: [] } }, { schemes: { apiKey: [] } }],
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' },
        },
      },
    });
    expect(json['supportedInterfaces'][0]).toMatchObject({
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    });
    for (const skill of json['skills']) {
      expect(skill.inputModes.length * skill.outputModes.length).toBeGreaterThan(0);
    }
  });

  it('has a 0.3 form with the security schemes of its JSON and of its proto', () => {
    const { securitySchemes, ...others } = form(card, '0.3-both');
    const { securitySchemes: old, ...same } = form(card, '0.3');
    expect(others).toEqual(same);
    const { description } = old.bearer;
    expect(securitySchemes).toEqual({
      bearer: { ...old.bearer, httpAuthSecurityScheme: { scheme: 'Bearer', description } },
      apiKey: {
        ...old.apiKey,
        apiKeySecurityScheme: { location: 'header', name: 'X-API-Key', description },
      },
    });
  });

  it('names the schemes of issuers in every form, each where it says that they will do', () => {
    const issuer: Issuer = {
      id: 'acme',
      issuer: 'https://login.example',
      audiences: null,
      algorithms: ['RS256'],
      metadataUrl: null,
      jwksUrl: null,
      clockSkewMs: 0,
      organization: 'acme',
      organizations: null,
      claims: { subject: 'sub', organization: '', groups: 'groups', scopes: 'scope' },
      grants: { everyone: [], scopes: new Map([['hub.call', ['a2a']]]), groups: new Map() },
      introspection: null,
      oauth2: {
        tokenUrl: 'https://login.example/token',
        authorizationUrl: null,
        scopes: { 'hub.call': 'To call.' },
      },
    };
    const own = composeHubCard([], { ...HUB, issuers: [issuer] });
    const openIdConnectUrl = 'https://login.example/.well-known/openid-configuration';
    const clientCredentials = {
      tokenUrl: 'https://login.example/token',
      scopes: { 'hub.call': 'To call.' },
    };
    for (const name of ['1.0', '0.3', '0.3-both', 'union'] as const) {
      const { securitySchemes, security, securityRequirements } = form(own, name);
      const needed = [...(security ?? []), ...(securityRequirements ?? [])].flatMap((each: Json) =>
        Object.keys((each['schemes'] as Json | undefined) ?? each),
      );
      expect(Object.keys(securitySchemes)).toEqual(expect.arrayContaining(needed));
      if (name !== '1.0') {
        expect(securitySchemes['acme-oidc']).toMatchObject({
          type: 'openIdConnect',
          openIdConnectUrl,
        });
        expect(securitySchemes['acme-oauth2']).toMatchObject({
          type: 'oauth2',
          flows: { clientCredentials },
        });
      }
      if (name !== '0.3') {
        expect(securitySchemes['acme-oidc']).toMatchObject({
          openIdConnectSecurityScheme: { openIdConnectUrl },
        });
        expect(securitySchemes['acme-oauth2']).toMatchObject({
          oauth2SecurityScheme: { flows: { clientCredentials } },
        });
      }
      expect(JSON.stringify(form(own, name))).toContain('hub.call');
    }
    expect(parseLegacyAgentCard(form(own, '0.3')).securityRequirements).toHaveLength(4);
  });

  it.each(['1.0', 'union'] as const)('is read in its %s form by a 1.0 client', (name) => {
    for (const legacyCompat of [{ enabled: false }, { enabled: true }]) {
      const resolver = new DefaultAgentCardResolver({ legacyCompat });
      const read = resolver.normalizeAgentCard(form(card, name));
      expect(read.supportedInterfaces[0]).toMatchObject({
        url: 'https://hub.example.com/base/a2a',
        protocolVersion: '1.0',
      });
      expect(read.skills).toHaveLength(2);
    }
  });

  it('says nothing of security when nobody needs a key', () => {
    const config = { ...HUB.config, auth: { ...HUB.config.auth, mode: 'none' as const } };
    const open = composeHubCard([], { ...HUB, config });
    for (const name of ['1.0', '0.3', '0.3-both', 'union'] as const) {
      expect(Object.keys(form(open, name)).filter((key) => key.startsWith('security'))).toEqual([]);
    }
    expect(open.capabilities).toMatchObject({ extendedAgentCard: false });
    expect(form(open, '0.3')).toMatchObject({ supportsAuthenticatedExtendedCard: false });
  });

  it('has modes even without any agent', () => {
    const json = form(composeHubCard([], HUB), 'union');
    expect(json).toMatchObject({
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
    });
  });
});

describe('the extensions of the agents', () => {
  const one = { uri: 'urn:one', description: 'One.', required: true, params: { a: 1 } };
  const declaring = (id: string, ...extensions: Json[]): ReturnType<typeof agent> =>
    agent(id, { capabilities: { extensions } });

  it("are in the hub's card once, with their agents, and required by none", () => {
    const agents = [
      declaring('a', one, { uri: 'urn:a2a-hub:routing:v1', params: { instanceId: 'other' } }),
      declaring('b', { ...one, description: 'Another.' }),
      declaring('c', { uri: 'urn:two', params: { b: 2 } }),
    ];
    expect(form(composeHubCard(agents, HUB), '1.0')['capabilities'].extensions).toEqual([
      expect.objectContaining({
        uri: 'urn:a2a-hub:routing:v1',
        params: { instanceId: 'hub-1' },
      }),
      { uri: 'urn:one', description: 'One. Agents: Agent a, Agent b.', params: { a: 1 } },
      { uri: 'urn:two', description: 'Agent: Agent c.', params: { b: 2 } },
    ]);
  });

  it('have no parameters there that not all agents agree on', () => {
    const agents = [declaring('a', one), declaring('b', { ...one, params: { a: 2 } })];
    const [, extension] = composeHubCard(agents, HUB).capabilities!.extensions;
    expect(extension).toMatchObject({ uri: 'urn:one', params: undefined });
  });

  it("stay as they are in the agent's own card", () => {
    const [extension] = composeAgentCard(declaring('a', one), HUB).capabilities!.extensions;
    expect(extension).toEqual(one);
  });
});

describe('the gRPC server', () => {
  const hub: HubFacts = {
    ...HUB,
    config: { ...HUB.config, grpc: { ...HUB.config.grpc, port: 50051 } },
    grpc: { target: 'grpc.example.com:443', secure: true },
  };

  const grpcIn = (card: AgentCard): unknown[] =>
    (['0.3', 'union'] as const).map((name) => form(card, name)['additionalInterfaces'][2].url);

  it('is host:port, as clients dial it', () => {
    const card = composeHubCard([AGENT], hub);
    for (const name of ['1.0', 'union'] as const) {
      expect(form(card, name)['supportedInterfaces'].slice(4)).toEqual([
        { url: 'grpc.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
        { url: 'grpc.example.com:443', protocolBinding: 'GRPC', protocolVersion: '0.3' },
      ]);
    }
    expect(grpcIn(card)).toEqual(['grpc.example.com:443', 'grpc.example.com:443']);
  });

  it('is an absolute URL to 0.x where the operator wants it so, and never to 1.0', () => {
    const config = { ...hub.config, card: { ...hub.config.card, grpcUrl: 'url' as const } };
    const card = composeHubCard([AGENT], { ...hub, config });
    const url = 'https://grpc.example.com:443';
    expect(grpcIn(card)).toEqual([url, url]);
    expect(JSON.stringify(form(card, 'union')['supportedInterfaces'])).not.toContain(url);
  });

  it('names an agent by its tenant, which 0.3 does not have', () => {
    const json = form(composeAgentCard(AGENT, hub), 'union');
    expect(json['supportedInterfaces'].slice(4)).toEqual([
      {
        url: 'grpc.example.com:443',
        protocolBinding: 'GRPC',
        tenant: 'csv',
        protocolVersion: '1.0',
      },
    ]);
    expect(json['additionalInterfaces'].map(({ transport }: Json) => transport)).toEqual([
      'JSONRPC',
      'HTTP+JSON',
    ]);
  });

  it('is not in the card before it listens', () => {
    const json = form(composeHubCard([AGENT], { ...hub, grpc: undefined }), '1.0');
    expect(JSON.stringify(json)).not.toContain('GRPC');
  });
});

describe("an agent's card behind the hub", () => {
  it('keeps the words of the agent, with the address and security of the hub', () => {
    const json = form(composeAgentCard(AGENT, HUB), 'union');
    expect(json).toMatchObject({
      name: 'Agent csv',
      url: 'https://hub.example.com/base/a2a/agents/csv',
      iconUrl: 'https://example.com/icon.png',
      capabilities: { streaming: true, pushNotifications: true },
    });
    expect(json['skills'].map(({ id }: Json) => id)).toEqual(['profile', 'plot']);
    expect(Object.keys(json['securitySchemes'])).toEqual(['bearer', 'apiKey']);
    expect(json).not.toHaveProperty('signatures');
    expect(JSON.stringify(json)).not.toContain('agent.internal');
  });
});

function form(card: AgentCard, name: CardForm): Json {
  return JSON.parse(renderCard(card, name)) as Json;
}

function agent(id: string, card: Json): Pick<Agent, 'id' | 'card' | 'tags'> {
  return {
    id,
    tags: ['team-a', 'DATA'],
    card: AgentCard.fromJSON({
      name: `Agent ${id}`,
      description: 'An agent.',
      version: '1.0.0',
      supportedInterfaces: [
        { url: 'http://agent.internal/', protocolBinding: 'GRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['application/json'],
      ...card,
    }),
  };
}
