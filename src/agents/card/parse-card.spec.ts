import { describe, expect, it } from '@jest/globals';
import { AgentCard } from '../../protocol/a2a.js';
import { chooseEndpoint } from '../endpoint/choose-endpoint.js';
import { parseCard } from './parse-card.js';

type Json = Record<string, unknown>;

const modern: Json = {
  name: 'Modern',
  description: 'Speaks 1.0',
  version: '2.1',
  supportedInterfaces: [
    {
      url: 'https://a.example/a2a',
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
      tenant: 't',
    },
  ],
  capabilities: { streaming: true, extensions: [{ uri: 'urn:x', params: { a: 1 } }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
};
const legacy: Json = {
  name: 'Legacy',
  description: 'Speaks 0.3',
  version: '1',
  protocolVersion: '0.3.0',
  url: 'https://b.example/rpc',
  preferredTransport: 'HTTP+JSON',
  additionalInterfaces: [
    { url: 'https://b.example/rpc', transport: 'HTTP+JSON' },
    { url: 'https://b.example/json', transport: 'JSONRPC' },
  ],
  capabilities: { streaming: false },
  supportsAuthenticatedExtendedCard: true,
  securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  security: [{ key: ['read'] }],
  skills: [{ id: 's', name: 'S', description: '', tags: [], security: [{ key: [] }] }],
};

const message = (json: unknown): string => {
  try {
    parseCard(json);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('parseCard', () => {
  it('reads a 1.0 card so that it survives a round trip', () => {
    const card = parseCard(modern);
    expect(card.supportedInterfaces[0]).toMatchObject({ protocolVersion: '1.0', tenant: 't' });
    expect(card.capabilities?.extensions[0]).toMatchObject({ uri: 'urn:x', params: { a: 1 } });
    expect(AgentCard.fromJSON(AgentCard.toJSON(card))).toEqual(card);
  });

  it('reads a 0.3 card with its interfaces, security and extended card', () => {
    const card = parseCard(legacy);
    expect(card.supportedInterfaces).toEqual([
      {
        url: 'https://b.example/rpc',
        protocolBinding: 'HTTP+JSON',
        protocolVersion: '0.3',
        tenant: '',
      },
      {
        url: 'https://b.example/json',
        protocolBinding: 'JSONRPC',
        protocolVersion: '0.3',
        tenant: '',
      },
    ]);
    expect(card.capabilities?.extendedAgentCard).toBe(true);
    expect(card.securitySchemes['key']?.scheme?.$case).toBe('apiKeySecurityScheme');
    expect(card.securityRequirements).toEqual([{ schemes: { key: { list: ['read'] } } }]);
    expect(card.skills[0]?.securityRequirements).toEqual([{ schemes: { key: { list: [] } } }]);
  });

  it('reads a card of 0.2.5 with as little as it may have', () => {
    const card = parseCard({ name: 'Old', url: 'http://c.example/', protocolVersion: '0.2.5' });
    expect(card.supportedInterfaces).toEqual([
      { url: 'http://c.example/', protocolBinding: 'JSONRPC', protocolVersion: '0.3', tenant: '' },
    ]);
    expect(card).toMatchObject({ description: '', version: '', skills: [], defaultInputModes: [] });
  });

  it('takes a 0.2.5 card never for a 1.0 one', () => {
    for (const protocolVersion of ['0.2.5', '0.2', '0.2.6', '0.3', undefined]) {
      const card = parseCard({ name: 'Old', url: 'http://c.example/', protocolVersion });
      expect(chooseEndpoint(card).endpoint.protocolVersion).toBe('0.3');
    }
  });

  it('adds what the 0.x part of a union card offers beside its 1.0 part', () => {
    const card = parseCard({ ...legacy, ...modern, url: 'https://a.example/old' });
    const offers = card.supportedInterfaces.map((one) => `${one.protocolBinding} ${one.url}`);
    expect(offers).toEqual([
      'JSONRPC https://a.example/a2a',
      'HTTP+JSON https://a.example/old',
      'HTTP+JSON https://b.example/rpc',
      'JSONRPC https://b.example/json',
    ]);
    const same = parseCard({ ...modern, url: 'https://a.example/a2a' });
    expect(same.supportedInterfaces).toHaveLength(1);
  });

  it.each([
    ['lists', { schemes: { key: ['read'] } }, ['read']],
    ['proto lists', { schemes: { key: { list: ['read'] } } }, ['read']],
    ['an empty object', { schemes: { key: {} } }, []],
    ['no wrapper', { key: ['read'] }, ['read']],
    ['null', { key: null }, []],
  ])('reads security requirements written as %s', (_name, written, list) => {
    const card = parseCard({ ...modern, securityRequirements: [written] });
    expect(card.securityRequirements).toEqual([{ schemes: { key: { list } } }]);
  });

  it('reads security schemes of either shape and leaves unknown ones out', () => {
    const { securitySchemes } = parseCard({
      ...modern,
      securitySchemes: {
        both: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
        old: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
        odd: { type: 'carrier-pigeon' },
      },
    });
    expect(Object.keys(securitySchemes)).toEqual(['both', 'old']);
  });

  it.each<[unknown, string]>([
    [null, 'card must be a JSON object'],
    [[], 'card must be a JSON object'],
    [{}, 'card has neither'],
    [{ ...modern, name: undefined }, 'card.name is required'],
    [{ ...modern, name: 5 }, 'card.name must be a string'],
    [{ ...modern, supportedInterfaces: {} }, 'card.supportedInterfaces must be an array'],
    [{ ...modern, supportedInterfaces: [] }, 'card has neither'],
    [{ ...modern, supportedInterfaces: [{}] }, 'card.supportedInterfaces[0].url is required'],
    [{ ...modern, capabilities: [] }, 'card.capabilities must be an object'],
    [{ ...modern, capabilities: { streaming: 'yes' } }, 'card.capabilities.streaming must be true'],
    [{ ...modern, skills: ['x'] }, 'card.skills[0] must be an object'],
    [{ ...modern, skills: [{ name: 'x' }] }, 'card.skills[0].id is required'],
    [{ ...modern, skills: [{ id: 'x', tags: [1] }] }, 'card.skills[0].tags must be an array of'],
    [{ ...modern, securityRequirements: [{ key: 'x' }] }, 'card.securityRequirements[0].key must'],
    [{ ...legacy, additionalInterfaces: [{ url: 'x' }] }, 'card.additionalInterfaces[0].transport'],
  ])('names what is wrong: %j', (json, expected) => {
    expect(message(json)).toContain(expected);
  });
});

describe('chooseEndpoint', () => {
  const offering = (...offers: [string, string, string?][]) =>
    parseCard({
      ...modern,
      supportedInterfaces: offers.map(([protocolBinding, protocolVersion, url]) => ({
        protocolBinding,
        protocolVersion,
        url: url ?? `https://a.example/${protocolBinding}/${protocolVersion}`,
      })),
    });

  it.each<[[string, string][], string, string]>([
    [
      [
        ['HTTP+JSON', '1.0'],
        ['JSONRPC', '0.3'],
        ['JSONRPC', '1.0'],
      ],
      'JSONRPC',
      '1.0',
    ],
    [
      [
        ['JSONRPC', '0.3.0'],
        ['HTTP+JSON', '1.0'],
      ],
      'HTTP+JSON',
      '1.0',
    ],
    [
      [
        ['GRPC', '1.0'],
        ['HTTP+JSON', '0.3'],
        ['HTTP+JSON', '1.0'],
      ],
      'HTTP+JSON',
      '1.0',
    ],
    [
      [
        ['GRPC', '0.3'],
        ['HTTP+JSON', '0.3'],
        ['GRPC', '1.0'],
        ['JSONRPC', '0.3'],
      ],
      'GRPC',
      '1.0',
    ],
    [[['jsonrpc', '1.0.1']], 'JSONRPC', '1.0'],
  ])('of %j takes %s %s', (offers, protocolBinding, protocolVersion) => {
    const { endpoint } = chooseEndpoint(offering(...offers));
    expect(endpoint).toMatchObject({ protocolBinding, protocolVersion });
  });

  it('reports every interface with its reason', () => {
    const card = offering(['GRPC', '1.0', 'a.example:443'], ['JSONRPC', '1.0'], ['JSONRPC', '0.3']);
    const reasons = chooseEndpoint(card).interfaces.map((one) => [one.chosen, one.reason]);
    expect(reasons).toEqual([
      [false, 'another interface is preferred'],
      [true, 'called'],
      [false, 'another interface is preferred'],
    ]);
  });

  it('keeps to what the operator pinned', () => {
    const card = offering(
      ['JSONRPC', '1.0'],
      ['GRPC', '1.0', 'a.example:443'],
      ['GRPC', '0.3', 'b.example:443'],
    );
    const pin = { protocolBinding: 'GRPC', protocolVersion: null } as const;
    const { endpoint, interfaces } = chooseEndpoint(card, { pin });
    expect(endpoint).toMatchObject({ url: 'a.example:443', protocolVersion: '1.0' });
    expect(interfaces.map((one) => one.reason)).toEqual([
      'the operator pinned another',
      'called: pinned',
      'another interface is preferred',
    ]);
    const older = chooseEndpoint(card, {
      pin: { protocolBinding: null, protocolVersion: '0.3' },
    });
    expect(older.endpoint.url).toBe('b.example:443');
  });

  it('refuses a pin that the card has no interface for, saying what it has', () => {
    const card = offering(['JSONRPC', '1.0'], ['GRPC', '0.3', 'b.example:443']);
    const pin = { protocolBinding: 'GRPC', protocolVersion: '1.0' } as const;
    expect(() => chooseEndpoint(card, { pin })).toThrow(
      /^protocolBinding .*GRPC 1.0.*JSONRPC 1.0 at https:.*GRPC 0.3 at b.example:443/,
    );
  });

  it('refuses a card with nothing to call, saying why of each', () => {
    const card = offering(
      ['GRPC', '1.0', 'ftp://a:443'],
      ['JSONRPC', '9.0'],
      ['JSONRPC', '1.0', '/rpc'],
      ['X', '1.0'],
    );
    expect(() => chooseEndpoint(card)).toThrow(/host:port.*version.*absolute.*unknown/);
  });
});
