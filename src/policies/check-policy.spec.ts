import { describe, expect, it } from '@jest/globals';
import { failingAfter, wouldDecide } from './check-policy.js';
import { type Policy, POLICY_LIMITS, type PolicyTest } from './domain/policy.js';
import { questionOf } from './domain/question-of.js';
import type { PolicyChange } from './policy-change.js';
import { PolicyLayer } from './policy-layer.js';
import { PolicyLayers } from './policy-layers.js';
import { PolicySet, type PolicyDefault } from './policy-set.js';

function policy(id: string, text: string, members: Partial<Policy> = {}): Policy {
  return {
    ...{ id, text, description: '', organization: null, enabled: true, tests: [] },
    ...{ version: 1, source: 'api', createdAt: null, updatedAt: null },
    ...members,
  };
}
const statement = (effect: 'permit' | 'forbid', agent: string): string =>
  `${effect}(principal, action == Action::"SendMessage", resource in Agent::"${agent}");`;
const test = (agentId: string, expect: PolicyTest['expect']): PolicyTest => {
  return { name: agentId, caller: {}, agentId, expect };
};

let reads = 0;
async function inForce(usual: PolicyDefault, ...policies: Policy[]): Promise<PolicyLayers> {
  const of = (source: Policy['source']): Promise<PolicyLayer> =>
    PolicyLayer.read(
      `check ${(reads += 1)}`,
      policies.filter((each) => each.source === source),
    );
  return new PolicyLayers(usual, await of('config'), await of('api'));
}
const fieldsOf = async (change: PolicyChange, layers: PolicyLayers): Promise<string[][]> => {
  const { own, others } = await failingAfter(change, layers);
  return [own, others].map((failing) => failing.map(({ field }) => field));
};

describe('the tests that a change makes fail', () => {
  it('are found where a policy stood in one part of the engine with others', async () => {
    // One part: what the forbid hides of the permit beside it counts once it is gone.
    const forbid = policy('forbid', statement('forbid', 'books'));
    const permit = policy('permit', statement('permit', 'books'), {
      tests: [test('books', 'deny')],
    });
    const layers = await inForce('deny', forbid, permit);
    const gone = { before: forbid, after: undefined };
    expect(await fieldsOf(gone, layers)).toEqual([[], ['policies[permit].tests[0]']]);
    const other = policy('forbid', statement('forbid', 'others'));
    expect(await fieldsOf({ before: forbid, after: other }, layers)).toEqual([
      [],
      ['policies[permit].tests[0]'],
    ]);
    expect(await fieldsOf({ before: forbid, after: forbid }, layers)).toEqual([[], []]);
  });

  it('are those of declared policies as well, and of no policy that is out of force', async () => {
    const tests = [test('books', 'allow')];
    const text = statement('permit', 'none');
    const layers = await inForce(
      'permit',
      policy('declared', text, { tests, source: 'config' }),
      policy('disabled', text, { tests, enabled: false }),
    );
    const after = policy('new', statement('forbid', 'books'));
    expect(await fieldsOf({ before: undefined, after }, layers)).toEqual([
      [],
      ['policies[declared].tests[0]'],
    ]);
  });

  it('are told of 50 at most, and of none that fails in any case', async () => {
    const text = statement('permit', 'none');
    const right = Array.from({ length: POLICY_LIMITS.tests }, () => test('books', 'allow'));
    const wrong = [test('books', 'deny'), test('other', 'deny')];
    const layers = await inForce(
      'permit',
      policy('a', text, { tests: wrong }),
      policy('b', text, { tests: right }),
      policy('c', text, { tests: right }),
    );
    const after = policy('new', 'forbid(principal, action, resource);');
    const [, others] = await fieldsOf({ before: undefined, after }, layers);
    expect(others).toHaveLength(50);
    expect(new Set(others)).toHaveProperty('size', 50);
    expect(others!.filter((field) => !field.startsWith('policies[b]'))).toEqual([]);
  });

  it('are none where a policy that cannot be read, which refuses everything, goes', async () => {
    const unreadable = policy('unreadable', 'not cedar');
    const tests = [test('books', 'deny')];
    const other = policy('other', statement('forbid', 'books'), { tests });
    const layers = await inForce('permit', unreadable, other);
    expect(await fieldsOf({ before: unreadable, after: undefined }, layers)).toEqual([[], []]);
    const promise = { tests: [test('free', 'deny')] };
    const late = await inForce('permit', unreadable, policy('late', other.text, promise));
    expect(await fieldsOf({ before: unreadable, after: undefined }, late)).toEqual([
      [],
      ['policies[late].tests[0]'],
    ]);
  });

  it('take turns with other work, however many there are', async () => {
    const text = Array.from({ length: 20 }, (_, n) => statement('permit', `x${n}`)).join('\n');
    const tests = Array.from({ length: 50 }, (_, n) => test(`a${n}`, 'allow'));
    const policies = Array.from({ length: 40 }, (_, n) => policy(`p${n}`, text, { tests }));
    const layers = await inForce('permit', ...policies);
    let turns = 0;
    const others = setInterval(() => (turns += 1), 0);
    const after = policy('new', 'forbid(principal, action, resource) when { 1 == 2 };');
    await failingAfter({ before: undefined, after }, layers);
    clearInterval(others);
    expect(turns).toBeGreaterThan(5);
  });
});

it('what would be decided after a change is what all policies together decide then', async () => {
  let state = 54;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const text = (): string =>
    Array.from({ length: 1 + next(30) }, () =>
      statement(next(2) === 0 ? 'permit' : 'forbid', `a${next(20)}`),
    ).join('\n');
  for (let round = 0; round < 12; round += 1) {
    const usual = round % 2 === 0 ? 'permit' : 'deny';
    const policies = Array.from({ length: 6 }, (_, n) => policy(`p${n}`, text()));
    const layers = await inForce(usual, ...policies);
    const before = round % 3 === 0 ? undefined : policies[next(6)]!;
    const after = round % 3 === 1 ? undefined : policy(before?.id ?? 'new', text());
    const then = [...policies.filter((each) => each !== before), ...(after ? [after] : [])];
    const set = await PolicySet.read(`then ${round}`, then, usual);
    for (let n = 0; n < 20; n += 1) {
      const question = questionOf({ caller: {}, agentId: `a${n}` }, null);
      if ('field' in question) throw new Error(question.field);
      const { decision } = await wouldDecide(question, [], layers, { before, after });
      expect([n, decision.isAllowed]).toEqual([n, set.decide(question).isAllowed]);
    }
  }
});

describe('a declared policy', () => {
  const ask = (layers: PolicyLayers, agentId: string): boolean => {
    const question = questionOf({ caller: { organization: 'acme' }, agentId }, null);
    if ('field' in question) throw new Error(question.description);
    return layers.setFor('acme').decide(question).isAllowed;
  };

  it('takes the place of the one of the API with its id, and of no other one', async () => {
    const [books, films, own] = [
      policy('same', statement('forbid', 'books')),
      policy('other', statement('forbid', 'films')),
      policy('own', statement('forbid', 'music'), { organization: 'acme' }),
    ];
    const inApi = await inForce('permit', books, films, own);
    const agents = ['books', 'films', 'music', 'news'];
    expect(agents.map((agent) => ask(inApi, agent))).toEqual([false, false, false, true]);
    const declared = ['same', 'own'].map((id) =>
      policy(id, statement('forbid', 'news'), { source: 'config' }),
    );
    const both = inApi.replaced('config', await PolicyLayer.read('declared', declared));
    expect(agents.map((agent) => ask(both, agent))).toEqual([true, false, true, false]);
    expect(both.policies).toEqual([...declared, films]);
    expect(both.displaced).toEqual([books, own]);
    expect([...both.owners]).toEqual([null]);
    const without = both.replaced('config', PolicyLayer.NONE);
    expect(agents.map((agent) => ask(without, agent))).toEqual([false, false, false, true]);
    expect(without.displaced).toEqual([]);
  });
});
