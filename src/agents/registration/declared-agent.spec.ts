import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ConfigError, type DeclaredEntry } from '../../config/index.js';
import { readDeclaredAgents } from './declared-agent.js';

const read = (yaml: string) => readDeclaredAgents(parse(yaml) as DeclaredEntry[]);

/** What is wrong, each with its place. */
async function faultsOf(yaml: string): Promise<string[]> {
  try {
    await read(yaml);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, text }) => `${key}: ${text}`);
  }
}

describe('declared agents', () => {
  it('are read with what is not written', async () => {
    expect(await read('[{id: a, cardUrl: "https://a.example"}]')).toEqual([
      {
        id: 'a',
        cardUrl: 'https://a.example',
        card: null,
        cardHeaders: {},
        cardKeys: null,
        credentials: {},
        authentication: null,
        endpointOverride: null,
        pin: { protocolBinding: null, protocolVersion: null },
        tags: [],
        priority: 0,
        weight: 1,
        maxConcurrent: null,
        maxQueue: null,
        enabled: true,
        organizations: null,
        budgets: {},
        switches: {},
      },
    ]);
  });

  it('are read with all that may be written', async () => {
    const [agent] = await read(`
- id: csv
  cardUrl: https://agents.example/csv
  headers: {Authorization: 'Bearer x'}
  budgets: {idle: 5m, connect: null}
  switches: {streaming: off, blocking: on, pollInterval: 2s, files: twice, caller: signed}
  protocolBinding: GRPC
  protocolVersion: "0.3"
  organizations: [team-a, team-b]
  cardKeys: {jwksUrl: 'https://agents.example/keys'}
`);
    expect(agent).toMatchObject({
      credentials: { authorization: 'Bearer x' },
      budgets: { idleMs: 300_000 },
      switches: {
        streaming: 'off',
        blocking: 'on',
        pollIntervalMs: 2000,
        files: 'twice',
        caller: 'signed',
      },
      pin: { protocolBinding: 'GRPC', protocolVersion: '0.3' },
      organizations: ['team-a', 'team-b'],
    });
    expect(agent?.budgets).not.toHaveProperty('connectMs');
  });

  it('are refused with all that is wrong, in the words of the API and by their place, without what is written', async () => {
    const faults = await faultsOf(`
- {id: Bad Id, cardUrl: 5, headers: {x-key: s3cret}}
- {id: a, cardUrl: "http://a", colour: red}
- {id: a, priority: high}
- {id: tasks, card: {}}
- {id: b, card: {}, headers: {x-key: 7}, budgets: {idle: 5}}
- {id: a, card: {}}
`);
    expect(faults).toEqual([
      'agents.declared[0].id: must be 1 to 63 of a-z, 0-9 and -',
      expect.stringMatching(/^agents\.declared\[0\]\.cardUrl: must be an http or https address/),
      expect.stringMatching(/^agents\.declared\[1\]\.colour: is not known here; known: .*cardUrl/),
      'agents.declared[2].priority: must be a whole number',
      'agents.declared[3].id: must be 1 to 63 of a-z, 0-9 and -, and not a reserved word',
      expect.stringMatching(
        /^agents\.declared\[4\]\.budgets\.idle: must be a duration such as 500ms, 5s, 10m, from 1ms to 365d$/,
      ),
    ]);
    expect(faults.join()).not.toContain('s3cret');
  });

  it.each([
    ['cardUrl', 'nonsense'],
    ['cardUrl', 'agent.example'],
    ['cardUrl', 'http//agent.example'],
    ['cardUrl', 'localhost:9000'],
    ['cardUrl', 'ftp://agent.example'],
    ['cardUrl', ''],
    ['cardUrl', 'http://'],
    ['endpoint', 'nonsense'],
    ['endpoint', 'ftp://agent.example'],
  ])('have no %s %j, which nobody can be called at', async (member, written) => {
    const agent = JSON.stringify({ id: 'a', cardUrl: 'http://a.example', [member]: written });
    const [fault, ...others] = await faultsOf(`[${agent}]`);
    expect(others).toEqual([]);
    expect(fault).toMatch(
      new RegExp(`\\[0\\]\\.${member}: must be an http.* address, such as https://`),
    );
  });

  it.each(['grpc://agents.internal:50051', 'agents_1:50051', 'https://agent.example/a2a'])(
    'may have the endpoint %s',
    async (endpoint) => {
      const agent = JSON.stringify({ id: 'a', cardUrl: 'http://a_1:8000/card.json', endpoint });
      expect(await read(`[${agent}]`)).toMatchObject([{ endpointOverride: endpoint }]);
    },
  );

  it.each([
    ['[{id: a}]', 'no card'],
    ['[{id: A, cardUrl: "http://x"}]', 'a bad id'],
    ['[{cardUrl: "http://x"}]', 'no id'],
    ['[{id: a, cardUrl: "http://x", card: {}}]', 'two cards'],
    ['[{id: a, cardUrl: "http://x", colour: red}]', 'an unknown member'],
    ['[{id: a, cardUrl: "http://x"}, {id: a, cardUrl: "http://y"}]', 'an id twice'],
    ['[{id: a, cardUrl: "http://x", budgets: {idle: 5}}]', 'a budget without unit'],
    ['[{id: a, cardUrl: "http://x", budgets: {nap: 5s}}]', 'an unknown budget'],
    ['[{id: a, cardUrl: "http://x", switches: {streaming: on}}]', 'a switch without that position'],
    ['[{id: a, cardUrl: "http://x", switches: {pollInterval: 1ms}}]', 'too short a pause'],
    ['[{id: a, cardUrl: "http://x", switches: {stream: off}}]', 'an unknown switch'],
    ['[{id: a, cardUrl: "http://x", protocolBinding: SOAP}]', 'an unknown binding'],
    ['[{id: a, cardUrl: "http://x", protocolVersion: 1.0}]', 'a version that is no text'],
    ['[{id: a, cardUrl: "http://x", organizations: []}]', 'nobody'],
    ['[{id: a, cardUrl: "http://x", organizations: [""]}]', 'an organization without a name'],
    ['[{id: a, cardUrl: "http://x", cardKeys: none}]', 'keys that are no mapping'],
    ['[{id: a, cardUrl: "http://x", headers: {a: 1}}]', 'a header that is no text'],
    ['[{id: a, cardUrl: "https://a", weight: 1001}]', 'a weight over 1000'],
    ['[{id: a, cardUrl: "https://a", maxConcurrent: 0}]', 'no delegation at all'],
    ['[{id: a, cardUrl: "https://a", maxQueue: "5"}]', 'a number as text'],
  ])('cannot be %s: %s', async (agents) => {
    const [fault] = await faultsOf(agents);
    expect(fault).toMatch(/^agents\.declared\[[01]\]/);
  });
});
