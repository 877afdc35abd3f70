import { describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI, readDirective } from './routing-extension.js';

const ours = (data: unknown) => ({ [ROUTING_EXTENSION_URI]: data });

describe('the routing directive', () => {
  it('is empty where nothing is asked', () => {
    expect(readDirective(undefined, undefined)).toEqual({});
    expect(readDirective({ other: 1, ...ours(null) }, {})).toEqual({});
  });

  it('reads every member of the extension and ignores what it does not know', () => {
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
    expect(readDirective(ours({ ...directive, hops: ['h'], later: 1 }), undefined)).toEqual(
      directive,
    );
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

  it('names the metadata of the request as such', () => {
    expect(() => readDirective(undefined, { skillTags: 1 })).toThrow(/^metadata\.skillTags must /);
  });
});
