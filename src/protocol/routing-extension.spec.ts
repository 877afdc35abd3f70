import { describe, expect, it } from '@jest/globals';
import { fieldOf, ROUTING_EXTENSION_URI, readDirective } from './routing-extension.js';

const ours = (data: unknown) => ({ [ROUTING_EXTENSION_URI]: data });

describe('the routing directive', () => {
  it('is empty where nothing is requested', () => {
    expect(readDirective(undefined, undefined)).toEqual({});
    expect(readDirective({ other: 1, ...ours(null) }, {})).toEqual({});
  });

  it('reads every member of the extension, and leaves the hops of other hubs alone', () => {
    const directive = {
      agentId: 'a',
      skillId: 'a.s',
      tags: ['x', 'y'],
      match: 'any',
      strategy: 'all',
      require: 'best-effort',
      deadlineSeconds: 1.5,
      maxAgents: 3,
      replyTo: 'b',
      idempotencyKey: 'k',
    };
    expect(readDirective(ours({ ...directive, hops: ['h'] }), undefined)).toEqual(directive);
  });

  it('lets the message win over the request, member by member', () => {
    expect(readDirective(ours({ agentId: 'a' }), ours({ agentId: 'b', strategy: 'all' }))).toEqual({
      agentId: 'a',
      strategy: 'all',
    });
  });

  it('understands the plain keys, after the extension', () => {
    expect(readDirective({ agentId: 'a', skillTags: ['x'] }, { skillId: 's' })).toEqual({
      agentId: 'a',
      skillId: 's',
      tags: ['x'],
    });
    expect(readDirective({ agentId: 'plain' }, ours({ agentId: 'ours' }))).toEqual({
      agentId: 'ours',
    });
  });

  it('reads snake_case, and a single string as a list of tags', () => {
    expect(readDirective({ skill_tags: 'csv, data' }, ours({ max_agents: 2 }))).toEqual({
      tags: ['csv', 'data'],
      maxAgents: 2,
    });
  });

  it.each<[unknown, string]>([
    ['text', '"]'],
    [[], '"]'],
    [{ agentId: 1 }, '.agentId'],
    [{ agentId: '' }, '.agentId'],
    [{ skillId: 'x'.repeat(256) }, '.skillId'],
    [{ tags: [] }, '.tags'],
    [{ tags: { a: 1 } }, '.tags'],
    [{ tags: ['x', 2] }, '.tags[1]'],
    [{ tags: 'a,,b' }, '.tags[1]'],
    [{ match: 'some' }, '.match'],
    [{ strategy: 'random' }, '.strategy'],
    [{ require: 'most' }, '.require'],
    [{ deadlineSeconds: 0 }, '.deadlineSeconds'],
    [{ deadlineSeconds: '5' }, '.deadlineSeconds'],
    [{ deadlineSeconds: NaN }, '.deadlineSeconds'],
    [{ deadlineSeconds: 1e9 }, '.deadlineSeconds'],
    [{ maxAgents: 1.5 }, '.maxAgents'],
    [{ max_agents: 0 }, '.max_agents'],
    [{ replyTo: {} }, '.replyTo'],
    [{ idempotencyKey: '' }, '.idempotencyKey'],
    [{ idempotencyKey: 'a\u0000b' }, '.idempotencyKey'],
    [{ idempotencyKey: 'a\ud800' }, '.idempotencyKey'],
    [{ quorum: 0, require: 'quorum', strategy: 'all' }, '.quorum'],
    [{ maxCalls: '3' }, '.maxCalls'],
    [{ strategy: 'chain', steps: [] }, '.steps'],
    [{ strategy: 'chain', steps: {} }, '.steps'],
    [{ strategy: 'chain', steps: Array.from({ length: 21 }, () => 's') }, '.steps'],
    [{ strategy: 'chain', steps: ['s', {}] }, '.steps[1]'],
    [{ strategy: 'chain', steps: [{ match: 'any' }] }, '.steps[0]'],
    [{ strategy: 'chain', steps: [{ tags: ['x', 1] }] }, '.steps[0].tags[1]'],
    [{ strategy: 'chain', steps: [['s']] }, '.steps[0]'],
    [{ strategy: 'synthesize', synthesizer: 7 }, '.synthesizer'],
    [{ strategy: 'synthesize', synthesizer: { agent_id: '' } }, '.synthesizer.agent_id'],
  ])('refuses %j, naming the field', (data, ending) => {
    let thrown: unknown;
    try {
      readDirective(ours(data), undefined);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      reason: 'INVALID_PARAMS',
      violations: [{ field: expect.stringMatching(/^message\.metadata\["urn:a2a-hub/) }],
    });
    expect((thrown as { violations: { field: string }[] }).violations[0]?.field).toContain(ending);
  });

  it.each([
    [{ agentID: 'a' }, 'agentID', 'is not known: is agentId meant?'],
    [{ tags: ['x'], stratgy: 'all' }, 'stratgy', 'is strategy meant?'],
    [{ AGENT_ID: 'a' }, 'AGENT_ID', 'is agentId meant?'],
    [{ skillTags: ['x'] }, 'skillTags', 'is tags meant?'],
    [{ colour: null }, 'colour', 'the members are agentId, skillId, tags, match, strategy'],
    [{ strategy: 'chain', steps: ['s', { skilID: 's' }] }, 'steps[1].skilID', 'is skillId meant?'],
    [{ strategy: 'synthesize', synthesizer: { agent: 's' } }, 'synthesizer.agent', 'agentId meant'],
    [JSON.parse('{"__proto__": 1}') as object, '__proto__', 'the members are'],
  ])('refuses %j, with the name that may be meant', (data, member, sentence) => {
    const field = `message.metadata["${ROUTING_EXTENSION_URI}"].${member}`;
    expect(() => readDirective(ours(data), undefined)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [{ field, description: expect.stringContaining(sentence) }],
      }),
    );
  });

  it('says a few of many unknown members', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`odd${i}`, 1]));
    let thrown: unknown;
    try {
      readDirective(ours({ ['x'.repeat(5000)]: 1, ...many }), ours(many));
    } catch (error) {
      thrown = error;
    }
    expect((thrown as { violations: unknown[] }).violations).toHaveLength(10);
    expect((thrown as Error).message.length).toBeLessThan(4000);
  });

  it.each<[object, object | undefined, string, string]>([
    [{ skillTags: ['x'], strategy: 'all' }, undefined, 'message.metadata.strategy', 'skillTags'],
    [{ agentId: 'a', max_calls: 1 }, undefined, 'message.metadata.max_calls', 'agentId'],
    [{ skill_id: 's' }, { tags: ['x'] }, 'metadata.tags', 'skill_id'],
  ])('refuses the plain %j, %j: a member that would do nothing', (message, request, field, by) => {
    expect(() => readDirective(message as Record<string, unknown>, { ...request })).toThrow(
      expect.objectContaining({
        violations: [
          { field, description: expect.stringMatching(`beside ${by}: .*urn:a2a-hub:routing:v1`) },
        ],
      }),
    );
  });

  it("leaves plain keys alone that are beside none it reads: they are the agent's", () => {
    const metadata = { strategy: 'mine', steps: 30, stratgy: 1, 'agent id': 'x' };
    expect(readDirective(metadata, { tags: 'b' })).toEqual({});
    expect(readDirective({ ...metadata, ...ours({ agentId: 'a' }) }, undefined)).toEqual({
      agentId: 'a',
    });
    expect(readDirective({ agentId: 'a', strategy: null, colour: 1 }, {})).toEqual({
      agentId: 'a',
    });
  });

  it.each([
    ['agentID', 'agentId'],
    ['agent-id', 'agentId'],
    ['AGENT_ID', 'agentId'],
    ['skillID', 'skillId'],
    ['SkillId', 'skillId'],
    ['skilltags', 'skillTags'],
    ['skill-tags', 'skillTags'],
  ])('refuses the plain %s, alone too: only its spelling keeps it from being read', (key, name) => {
    for (const [message, request, path] of [
      [{ [key]: 'x' }, undefined, 'message.metadata'],
      [undefined, { [key]: ['x'], colour: 1 }, 'metadata'],
    ] as const) {
      expect(() => readDirective(message, request)).toThrow(
        expect.objectContaining({
          reason: 'INVALID_PARAMS',
          violations: [{ field: `${path}.${key}`, description: `does nothing: is ${name} meant?` }],
        }),
      );
    }
    expect(readDirective({ [key]: null }, undefined)).toEqual({});
    // The extension says it already: what stands plainly is the agent's own.
    const data = name === 'skillTags' ? { tags: ['t'] } : { [name]: 't' };
    expect(readDirective({ [key]: 'x', ...ours(data) }, undefined)).toEqual(data);
  });

  it('names the metadata of the request as such', () => {
    expect(() => readDirective(undefined, { skillTags: 1 })).toThrow(/^metadata\.skillTags must /);
  });

  it('reads the steps of a chain, a bare string as the id of a skill', () => {
    const steps = ['csv.clean', { agentId: 'text' }, { tags: 'a,b', match: 'any' }];
    expect(readDirective(ours({ strategy: 'chain', steps, max_calls: 9 }), undefined)).toEqual({
      strategy: 'chain',
      steps: [{ skillId: 'csv.clean' }, { agentId: 'text' }, { tags: ['a', 'b'], match: 'any' }],
      maxCalls: 9,
    });
  });

  it('reads a quorum and a synthesizer', () => {
    const directive = {
      tags: ['x'],
      strategy: 'synthesize',
      require: 'quorum',
      quorum: 2,
      synthesizer: { skillId: 'writer.sum', tags: ['y'] },
    };
    expect(readDirective(undefined, ours(directive))).toEqual(directive);
  });

  it.each<[object, string, string]>([
    [{ strategy: 'chain' }, 'strategy', 'needs steps'],
    [{ steps: ['s'] }, 'steps', 'for the strategy chain'],
    [{ strategy: 'all', steps: ['s'] }, 'steps', 'for the strategy chain'],
    [{ strategy: 'synthesize' }, 'strategy', 'needs a synthesizer'],
    [{ strategy: 'all', synthesizer: 's' }, 'synthesizer', 'for the strategy synthesize'],
    [{ strategy: 'all', require: 'quorum' }, 'require', 'needs quorum'],
    [{ strategy: 'all', quorum: 2 }, 'quorum', 'for require quorum'],
    [{ strategy: 'all', require: 'any', quorum: 2 }, 'quorum', 'for require quorum'],
    [{ strategy: 'first', require: 'quorum', quorum: 2 }, 'require', 'all and synthesize'],
    [{ quorum: 2 }, 'quorum', 'for require quorum'],
    [{ require: 'any' }, 'require', 'all and synthesize'],
    [{ strategy: 'one', require: 'all' }, 'require', 'all and synthesize'],
    [{ strategy: 'first', require: 'any' }, 'require', 'all and synthesize'],
    [{ strategy: 'one', maxAgents: 2 }, 'maxAgents', 'all, first and synthesize'],
    [{ strategy: 'chain', steps: ['s'], maxAgents: 2 }, 'maxAgents', 'all, first and synthesize'],
    [{ strategy: 'all', require: 'quorum', quorum: 3, maxAgents: 2 }, 'quorum', 'maxAgents'],
    [{ strategy: 'chain', steps: ['s'], tags: ['x'] }, 'tags', 'its steps say who'],
    [{ strategy: 'chain', steps: ['s'], agentId: 'a' }, 'agentId', 'its steps say who'],
  ])('refuses %j, which contradicts itself', (data, member, sentence) => {
    const field = `metadata["${ROUTING_EXTENSION_URI}"].${member}`;
    expect(() => readDirective(undefined, ours(data))).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [{ field, description: expect.stringContaining(sentence) }],
      }),
    );
  });

  it('leaves a number of agents without a strategy to the rules of the operator', () => {
    expect(readDirective(undefined, ours({ maxAgents: 2 }))).toEqual({ maxAgents: 2 });
  });

  it('knows where a member stood, of a step as well', () => {
    const steps = [{ agentId: 'a', skill_id: 'b.s' }];
    const read = readDirective(ours({ strategy: 'chain', steps }), undefined);
    expect(fieldOf(read, 'strategy')).toBe(`message.metadata["${ROUTING_EXTENSION_URI}"].strategy`);
    expect(fieldOf(read.steps![0]!, 'skillId')).toBe(
      `message.metadata["${ROUTING_EXTENSION_URI}"].steps[0].skill_id`,
    );
    expect(fieldOf({ quorum: 2 }, 'quorum')).toBe('quorum');
  });

  it('takes options from outside of metadata first, and names their fields bare', () => {
    const inMetadata = ours({ strategy: 'all', maxAgents: 3 });
    expect(readDirective(inMetadata, undefined, { strategy: 'first', tags: ['x'] })).toEqual({
      strategy: 'first',
      tags: ['x'],
      maxAgents: 3,
    });
    expect(() => readDirective(undefined, undefined, { steps: ['s'] })).toThrow(/^steps are for/);
  });
});
