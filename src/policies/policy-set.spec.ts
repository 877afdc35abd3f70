import { describe, expect, it } from '@jest/globals';
import { readText } from './cedar-text.js';
import type { PolicyCaller, PolicyQuestion, PolicyResource } from './domain/policy.js';
import { readPolicies } from './policy-part.js';
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
const setOf = (usual: 'permit' | 'deny', ...texts: string[]): Promise<PolicySet> =>
  PolicySet.read(
    `spec-${(sets += 1)}`,
    texts.map((text, n) => ({ id: `p${n}`, text })),
    usual,
  );

describe('a set of policies', () => {
  it('permits by default what none forbids, or nothing that none permits', async () => {
    expect((await setOf('permit')).decide(ask()).isAllowed).toBe(true);
    expect((await setOf('deny')).decide(ask())).toEqual({
      isAllowed: false,
      policies: [],
      errors: [],
    });
    const own = 'permit(principal in Organization::"acme", action, resource in Agent::"books");';
    expect((await setOf('deny', own)).decide(ask()).policies).toEqual([
      { id: 'p0', effect: 'permit', reason: null },
    ]);
    expect((await setOf('deny', own)).decide(ask({ organization: 'umbrella' })).isAllowed).toBe(
      false,
    );
    expect((await setOf('deny', own)).decide(ask({}, { agentId: 'other' })).isAllowed).toBe(false);
  });

  it('lets those who may call the hub do so by default, whatever agents they may ask', async () => {
    const operation = { caller: CALLER, operation: 'ListTasks', resource: null } as const;
    expect((await setOf('deny')).decide(operation).isAllowed).toBe(true);
    const none = 'forbid(principal, action == Action::"ListTasks", resource);';
    expect((await setOf('permit', none)).decide(operation).isAllowed).toBe(false);
    expect((await setOf('permit', none)).decide(ask()).isAllowed).toBe(true);
  });

  it('has forbids win over permits, wherever they stand', async () => {
    const forbid = '@reason("why") forbid(principal, action, resource in Tag::"finance");';
    const permit = 'permit(principal, action, resource);';
    for (const texts of [[forbid, permit], [permit, forbid], [`${permit}\n${forbid}`]]) {
      const decision = (await setOf('deny', ...texts)).decide(ask({}, { tags: ['Finance '] }));
      expect(decision.isAllowed).toBe(false);
      expect(decision.policies).toEqual([
        { id: expect.any(String), effect: 'forbid', reason: 'why' },
      ]);
    }
  });

  it('knows the tags of an agent for each of its skills, and for the agent itself', async () => {
    const set = await setOf('permit', 'forbid(principal, action, resource in Tag::"finance");');
    const agentTags = ['Finance'];
    expect(set.decide(ask({}, { agentTags })).isAllowed).toBe(false);
    expect(set.decide(ask({}, { agentTags, skillId: null })).isAllowed).toBe(false);
    expect(set.decide(ask({}, { skillId: null })).isAllowed).toBe(true);
  });

  it('refuses everything while one of its policies cannot be read', async () => {
    const decision = (await setOf('permit', 'not cedar')).decide(ask());
    expect(decision).toMatchObject({ isAllowed: false, errors: ['the policy p0 cannot be read'] });
  });

  it('refuses what cannot be evaluated, also where the engine would pass over a forbid', async () => {
    // Not checked against the schema, as nothing that is saved can be.
    const text = 'forbid(principal, action, resource) when { principal.age > 3 };';
    expect('faults' in (await readText(text))).toBe(true);
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
    const statement = { json, effect: 'forbid', reason: null };
    const read = await readPolicies('spec-error', [{ id: 'old', text }], () =>
      Promise.resolve([statement as never]),
    );
    const set = new PolicySet('permit', read);
    const decision = set.decide(ask());
    expect(decision.isAllowed).toBe(false);
    expect(decision.errors.join()).toContain('age');
  });

  it('takes ids and tags as they are, whatever they look like', async () => {
    const set = await setOf('permit', 'forbid(principal in Group::"a\\"b", action, resource);');
    expect(set.decide(ask({ groups: ['a"b'] })).isAllowed).toBe(false);
    expect(set.decide(ask({ groups: ['a', 'b', '"); permit('] })).isAllowed).toBe(true);
  });
});

describe('the text of a policy', () => {
  it('is refused with a tag that no tag could equal, wherever it stands', async () => {
    for (const text of [
      'forbid(principal, action, resource in Tag::"Finance");',
      'forbid(principal, action, resource) when { resource in [Tag::"ok", Tag::" x "] };',
    ]) {
      expect(await readText(text)).toEqual({ faults: [expect.stringContaining('lower case')] });
      expect((await setOf('permit', text)).decide(ask()).isAllowed).toBe(false);
    }
  });

  it('is wrong where it says, behind any letters', async () => {
    const text =
      '@reason("éééééééééé") permit(principal, action, resource); forbid(x, action, resource);';
    const read = await readText(text.replace('forbid(x', 'forbid(principal in Team::"x"'));
    const column = text.indexOf('forbid(') + 'forbid(principal in '.length + 1;
    expect(read).toEqual({ faults: [expect.stringContaining(`column ${column}`)] });
  });
});

it('goes on deciding by its own policies when another set has taken its name', async () => {
  const forbid = 'forbid(principal, action, resource);';
  const first = await PolicySet.read('one name', [{ id: 'first', text: forbid }], 'permit');
  const second = await PolicySet.read('one name', [], 'permit');
  for (let round = 0; round < 2; round += 1) {
    expect(first.decide(ask())).toMatchObject({ isAllowed: false, policies: [{ id: 'first' }] });
    expect(second.decide(ask()).isAllowed).toBe(true);
  }
});

describe('what policies speak of', () => {
  it('alone tells callers and skills apart', async () => {
    const { mentions } = await setOf(
      'permit',
      'forbid(principal in Group::"g", action, resource in Tag::"t") when { Agent::"books" in Tag::"own" };',
    );
    const caller = (change: Partial<PolicyCaller>) =>
      mentions.keyOfCaller({ ...CALLER, ...change });
    const resource = (change: Partial<PolicyResource>) =>
      mentions.keyOfResource({ ...SKILL, ...change });
    const [someone, something] = [caller({}), resource({ agentId: 'a' })];
    // It names none of these.
    expect(caller({ id: 'p9', groups: ['h'], signIn: 'token', issuer: 'x' })).toBe(someone);
    expect(resource({ agentId: 'b', skillId: 's', tags: ['u'], agentTags: ['u'] })).toBe(something);
    // It names these, or they always count.
    const told = [
      [someone, caller({ groups: ['g'] }), caller({ organization: 'umbrella' })],
      [
        something,
        resource({}),
        resource({ agentId: 'a', skillId: null }),
        resource({ agentId: 'a', tags: [' T '] }),
        resource({ agentId: 'a', agentTags: ['t'] }),
        resource({ agentId: 'a', agentTags: ['own'] }),
      ],
    ];
    for (const keys of told) expect(new Set(keys).size).toBe(keys.length);
  });

  it('counts attributes and ids only where a policy reads them', async () => {
    const { mentions } = await setOf(
      'permit',
      'forbid(principal == Caller::"x", action, resource) unless { principal.issuer like "https://*" };',
    );
    const key = (change: Partial<PolicyCaller>) => mentions.keyOfCaller({ ...CALLER, ...change });
    expect(key({ signIn: 'token' })).toBe(key({}));
    expect(key({ id: 'y' })).toBe(key({}));
    expect(new Set([key({}), key({ id: 'x' }), key({ issuer: 'https://a' })]).size).toBe(3);
  });
});
