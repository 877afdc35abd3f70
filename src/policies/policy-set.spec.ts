import { describe, expect, it } from '@jest/globals';
import { readText } from './cedar-text.js';
import type { PolicyCaller, PolicyQuestion, PolicyResource } from './domain/policy.js';
import { PolicySet } from './policy-set.js';

const CALLER: PolicyCaller = {
  id: 'p1',
  organization: 'acme',
  groups: [],
  scopes: ['a2a'],
  signIn: 'key',
  issuer: '',
};
const SKILL: PolicyResource = { agentId: 'books', agentTags: [], skillId: 'read', tags: [] };

function ask(
  caller: Partial<PolicyCaller> = {},
  resource: Partial<PolicyResource> = {},
): PolicyQuestion {
  return {
    caller: { ...CALLER, ...caller },
    operation: 'SendMessage',
    resource: { ...SKILL, ...resource },
  };
}

let sets = 0;
const setOf = (usual: 'permit' | 'deny', ...texts: string[]): PolicySet =>
  new PolicySet(
    `spec-${(sets += 1)}`,
    texts.map((text, n) => ({ id: `p${n}`, text })),
    usual,
  );

describe('a set of policies', () => {
  it('permits by default what none forbids, or nothing that none permits', () => {
    expect(setOf('permit').decide(ask()).isAllowed).toBe(true);
    expect(setOf('deny').decide(ask())).toEqual({ isAllowed: false, policies: [], errors: [] });
    const own = 'permit(principal in Organization::"acme", action, resource in Agent::"books");';
    expect(setOf('deny', own).decide(ask()).policies).toEqual([
      { id: 'p0', effect: 'permit', reason: null },
    ]);
    expect(setOf('deny', own).decide(ask({ organization: 'umbrella' })).isAllowed).toBe(false);
    expect(setOf('deny', own).decide(ask({}, { agentId: 'other' })).isAllowed).toBe(false);
  });

  it('lets those who may call the hub do so by default, whatever agents they may ask', () => {
    const operation = { caller: CALLER, operation: 'ListTasks', resource: null } as const;
    expect(setOf('deny').decide(operation).isAllowed).toBe(true);
    const none = 'forbid(principal, action == Action::"ListTasks", resource);';
    expect(setOf('permit', none).decide(operation).isAllowed).toBe(false);
    expect(setOf('permit', none).decide(ask()).isAllowed).toBe(true);
  });

  it('has forbids win over permits, wherever they stand', () => {
    const forbid = '@reason("why") forbid(principal, action, resource in Tag::"finance");';
    const permit = 'permit(principal, action, resource);';
    for (const texts of [[forbid, permit], [permit, forbid], [`${permit}\n${forbid}`]]) {
      const decision = setOf('deny', ...texts).decide(ask({}, { tags: ['Finance '] }));
      expect(decision.isAllowed).toBe(false);
      expect(decision.policies).toEqual([
        { id: expect.any(String), effect: 'forbid', reason: 'why' },
      ]);
    }
  });

  it('knows the tags of an agent for each of its skills, and for the agent itself', () => {
    const set = setOf('permit', 'forbid(principal, action, resource in Tag::"finance");');
    const agentTags = ['Finance'];
    expect(set.decide(ask({}, { agentTags })).isAllowed).toBe(false);
    expect(set.decide(ask({}, { agentTags, skillId: null })).isAllowed).toBe(false);
    expect(set.decide(ask({}, { skillId: null })).isAllowed).toBe(true);
  });

  it('refuses everything while one of its policies cannot be read', () => {
    const decision = setOf('permit', 'not cedar').decide(ask());
    expect(decision).toMatchObject({ isAllowed: false, errors: ['the policy p0 cannot be read'] });
  });

  it('refuses what cannot be evaluated, also where the engine would pass over a forbid', () => {
    // Not checked against the schema, as nothing that is saved can be.
    const text = 'forbid(principal, action, resource) when { principal.age > 3 };';
    expect('faults' in readText(text)).toBe(true);
    const json = {
      effect: 'forbid',
      principal: { op: 'All' },
      action: { op: 'All' },
      resource: { op: 'All' },
      conditions: [
        {
          kind: 'when',
          body: {
            '>': {
              left: { '.': { left: { Var: 'principal' }, attr: 'age' } },
              right: { Value: 3 },
            },
          },
        },
      ],
    };
    const statement = { json, effect: 'forbid', reason: null, namesCallers: false };
    const set = new PolicySet('spec-error', [{ id: 'old', text }], 'permit', () => [
      statement as never,
    ]);
    const decision = set.decide(ask());
    expect(decision.isAllowed).toBe(false);
    expect(decision.errors.join()).toContain('age');
  });

  it('takes ids and tags as they are, whatever they look like', () => {
    const set = setOf('permit', 'forbid(principal in Group::"a\\"b", action, resource);');
    expect(set.decide(ask({ groups: ['a"b'] })).isAllowed).toBe(false);
    expect(set.decide(ask({ groups: ['a', 'b', '"); permit('] })).isAllowed).toBe(true);
    expect(set.namesCallers).toBe(false);
    expect(
      setOf('permit', 'forbid(principal == Caller::"x", action, resource);').namesCallers,
    ).toBe(true);
  });
});

describe('the text of a policy', () => {
  it('is refused with a tag that no tag could equal, wherever it stands', () => {
    for (const text of [
      'forbid(principal, action, resource in Tag::"Finance");',
      'forbid(principal, action, resource) when { resource in [Tag::"ok", Tag::" x "] };',
    ]) {
      expect(readText(text)).toEqual({ faults: [expect.stringContaining('lower case')] });
      expect(setOf('permit', text).decide(ask()).isAllowed).toBe(false);
    }
  });

  it('is wrong where it says, behind any letters', () => {
    const text =
      '@reason("éééééééééé") permit(principal, action, resource); forbid(x, action, resource);';
    const read = readText(text.replace('forbid(x', 'forbid(principal in Team::"x"'));
    const column = text.indexOf('forbid(') + 'forbid(principal in '.length + 1;
    expect(read).toEqual({ faults: [expect.stringContaining(`column ${column}`)] });
  });
});

describe('20,000 decisions', () => {
  /** Repeats itself by its seed. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  }
  const GROUPS = ['g0', 'g1', 'g2', 'g3'];
  const TAGS = ['t0', 't1', 't2', 't3'];
  const AGENTS = ['a0', 'a1', 'a2'];
  const SIGN_INS = ['key', 'token', 'certificate', 'none'] as const;

  interface Plain {
    readonly effect: 'permit' | 'forbid';
    readonly group?: string;
    readonly organization?: string;
    readonly caller?: string;
    readonly tag?: string;
    readonly agent?: string;
    readonly unless?: string;
  }

  const textOf = ({ effect, group, organization, caller, tag, agent, unless }: Plain): string => {
    const principal =
      group !== undefined
        ? `principal in Group::"${group}"`
        : organization !== undefined
          ? `principal in Organization::"${organization}"`
          : caller !== undefined
            ? `principal == Caller::"${caller}"`
            : 'principal';
    const resource =
      tag !== undefined
        ? `resource in Tag::"${tag}"`
        : agent !== undefined
          ? `resource in Agent::"${agent}"`
          : 'resource';
    const except = unless === undefined ? '' : ` unless { principal.signIn == "${unless}" }`;
    return `${effect}(${principal}, action == Action::"SendMessage", ${resource})${except};`;
  };

  /** The same in plain TypeScript. */
  function model(
    policies: readonly Plain[],
    usual: 'permit' | 'deny',
    { caller, resource }: PolicyQuestion,
  ): boolean {
    const { agentId, agentTags, tags } = resource!;
    const applies = (each: Plain): boolean =>
      (each.group === undefined || caller.groups.includes(each.group)) &&
      (each.organization === undefined || caller.organization === each.organization) &&
      (each.caller === undefined || caller.id === each.caller) &&
      (each.tag === undefined || [...tags, ...agentTags].includes(each.tag)) &&
      (each.agent === undefined || agentId === each.agent) &&
      (each.unless === undefined || caller.signIn !== each.unless);
    const applied = policies.filter(applies).map(({ effect }) => effect);
    return !applied.includes('forbid') && (usual === 'permit' || applied.includes('permit'));
  }

  it('are those of an independent model', () => {
    const next = random(20_261_124);
    const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
    const some = <T>(list: readonly T[]): T[] => list.filter(() => next() < 0.4);
    const policy = (): Plain => {
      const who = one<Partial<Plain>>([
        { group: one(GROUPS) },
        { organization: one(['acme', 'umbrella']) },
        { caller: one(['p0', 'p1']) },
        {},
      ]);
      const what = one<Partial<Plain>>([{ tag: one(TAGS) }, { agent: one(AGENTS) }, {}]);
      return {
        effect: next() < 0.6 ? 'permit' : 'forbid',
        ...who,
        ...what,
        ...(next() < 0.3 && { unless: one(SIGN_INS) }),
      };
    };
    let allowed = 0;
    for (let round = 0; round < 100; round++) {
      const usual = one(['permit', 'deny'] as const);
      const policies = Array.from({ length: 1 + Math.floor(next() * 8) }, policy);
      const set = setOf(usual, ...policies.map(textOf));
      for (let n = 0; n < 200; n++) {
        const question = ask(
          {
            id: one(['p0', 'p1', 'p2']),
            organization: one(['acme', 'umbrella', 'third']),
            groups: some(GROUPS),
            signIn: one(SIGN_INS),
          },
          {
            agentId: one(AGENTS),
            agentTags: some(TAGS),
            skillId: one(['read', null]),
            tags: [],
          },
        );
        const { resource } = question;
        const full = {
          ...question,
          resource: { ...resource!, tags: resource!.skillId ? some(TAGS) : [] },
        };
        const { isAllowed, errors } = set.decide(full);
        allowed += isAllowed ? 1 : 0;
        expect([isAllowed, errors]).toEqual([model(policies, usual, full), []]);
      }
    }
    expect(allowed).toBeGreaterThan(3000);
    expect(allowed).toBeLessThan(17_000);
  }, 60_000);
});
