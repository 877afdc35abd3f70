import { describe, expect, it } from '@jest/globals';
import type {
  PolicyCaller,
  PolicyQuestion,
  PolicyResource,
} from '../src/policies/domain/policy.js';
import { PolicySet } from '../src/policies/policy-set.js';
import { casesOf } from './support/thorough.js';

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
    `model-${(sets += 1)}`,
    texts.map((text, n) => ({ id: `p${n}`, text })),
    usual,
  );

/** Put to each of the small sets. */
const QUESTIONS = 200;

describe('decisions', () => {
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
    readonly skill?: string;
    readonly unless?: string;
  }

  const textOf = (plain: Plain): string => {
    const { effect, group, organization, caller, tag, agent, skill, unless } = plain;
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
          : skill !== undefined
            ? `resource == Skill::"${skill}"`
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
    const { agentId, agentTags, skillId, tags } = resource!;
    const applies = (each: Plain): boolean =>
      (each.group === undefined || caller.groups.includes(each.group)) &&
      (each.organization === undefined || caller.organization === each.organization) &&
      (each.caller === undefined || caller.id === each.caller) &&
      (each.tag === undefined || [...tags, ...agentTags].includes(each.tag)) &&
      (each.agent === undefined || agentId === each.agent) &&
      (each.skill === undefined || (skillId !== null && `${agentId}.${skillId}` === each.skill)) &&
      (each.unless === undefined || caller.signIn !== each.unless);
    const applied = policies.filter(applies).map(({ effect }) => effect);
    return !applied.includes('forbid') && (usual === 'permit' || applied.includes('permit'));
  }

  const keyOf = ({ mentions }: PolicySet, { caller, resource }: PolicyQuestion): string =>
    mentions.keyOfCaller(caller) + mentions.keyOfResource(resource!);

  it('are those of an independent model', async () => {
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
      const what = one<Partial<Plain>>([
        { tag: one(TAGS) },
        { agent: one(AGENTS) },
        { skill: 'a0.read' },
        {},
      ]);
      return {
        effect: next() < 0.6 ? 'permit' : 'forbid',
        ...who,
        ...what,
        ...(next() < 0.3 && { unless: one(SIGN_INS) }),
      };
    };
    let allowed = 0;
    let alike = 0;
    const total = casesOf(3000, 14_000);
    for (let round = 0; round < total / QUESTIONS; round++) {
      const usual = one(['permit', 'deny'] as const);
      const policies = Array.from({ length: 1 + Math.floor(next() * 8) }, policy);
      const set = await setOf(usual, ...policies.map(textOf));
      const decided = new Map<string, boolean>();
      for (let n = 0; n < QUESTIONS; n++) {
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
        // What the policies cannot tell apart has been answered alike.
        const key = keyOf(set, full);
        const before = decided.get(key);
        alike += before === undefined ? 0 : 1;
        expect([key, before ?? isAllowed]).toEqual([key, isAllowed]);
        decided.set(key, isAllowed);
      }
    }
    expect(alike).toBeGreaterThan(total / 4);
    expect(allowed).toBeGreaterThan(total * 0.15);
    expect(allowed).toBeLessThan(total * 0.85);
  }, 60_000);

  it('are those of the model in sets of up to 500 policies', async () => {
    const next = random(500);
    const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
    const names = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_, n) => `${letter}${n}`);
    const [groups, tags, agents] = [names('g', 60), names('t', 60), names('a', 30)];
    const policy = (): Plain => ({
      effect: next() < 0.6 ? 'permit' : 'forbid',
      group: one(groups),
      ...one<Partial<Plain>>([{ tag: one(tags) }, { agent: one(agents) }]),
      ...(next() < 0.3 && { unless: one(SIGN_INS) }),
    });
    const total = casesOf(600, 6000);
    const counts = { true: 0, false: 0 };
    const sizes = [100, 300, 500];
    for (const [at, size] of sizes.entries()) {
      const usual = at % 2 === 0 ? 'permit' : 'deny';
      const policies = Array.from({ length: size }, policy);
      const set = await setOf(usual, ...policies.map(textOf));
      for (let n = 0; n < Math.ceil(total / sizes.length); n++) {
        const skillId = one(['read', null]);
        const question = ask(
          { id: one(['p0', 'p1']), groups: [one(groups), one(groups)], signIn: one(SIGN_INS) },
          {
            ...{ agentId: one(agents), agentTags: [one(tags)], skillId },
            tags: skillId === null ? [] : [one(tags), one(tags)],
          },
        );
        const { isAllowed, errors } = set.decide(question);
        expect([isAllowed, errors]).toEqual([model(policies, usual, question), []]);
        counts[`${isAllowed}`] += 1;
      }
    }
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(total / 10);
  }, 300_000);
});
