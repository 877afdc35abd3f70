import { describe, expect, it } from '@jest/globals';
import { readText, statementsIn } from './cedar-text.js';
import { POLICY_LIMITS } from './domain/policy.js';
import { PolicySet } from './policy-set.js';

const { nesting, operators } = POLICY_LIMITS;
const when = (condition: string): string =>
  `permit(principal, action, resource) when { ${condition} };`;

/** Each makes a condition with some levels or operators, which is right as Cedar. */
const NESTED: Readonly<Record<string, (n: number) => string>> = {
  parentheses: (n) => `${'('.repeat(n)}true${')'.repeat(n)}`,
  'parentheses after a comment': (n) => `//x\r${'('.repeat(n)}\n//)))\n true${')'.repeat(n)}`,
  negations: (n) => `${'!('.repeat(n)}true${')'.repeat(n)}`,
  sets: (n) => `${'['.repeat(n)}")]}\\""${']'.repeat(n)} == 1`,
  records: (n) => `${'{a:'.repeat(n)}1${'}'.repeat(n)} == 1`,
  'records with several fields': (n) => `${'{a:1,b:'.repeat(n)}1${'}'.repeat(n)} == 1`,
  calls: (n) => `${'ip('.repeat(n)}"1"${')'.repeat(n)} == 1`,
  conditions: (n) => `${'if true then '.repeat(n)}true${' else false'.repeat(n)}`,
  alternatives: (n) => `${'if true then true else '.repeat(n)}true`,
};
const JOINED: Readonly<Record<string, (n: number) => string>> = {
  and: (n) => `true${'&&true'.repeat(n)}`,
  or: (n) => `true${' || true'.repeat(n)}`,
  sums: (n) => `1${'+1'.repeat(n)} == 1`,
  products: (n) => `1${'*1'.repeat(n)} == 1`,
  attributes: (n) => `principal${'.a'.repeat(n)} == 1`,
  indexes: (n) => `principal${'["a"]'.repeat(n)} == 1`,
  calls: (n) => `[1]${'.contains(1)'.repeat(n)}`,
};

const faultsOf = async (text: string): Promise<readonly string[]> => {
  const read = await readText(text);
  return 'faults' in read ? read.faults : [];
};

const question = {
  caller: { id: 'p', organization: 'o', groups: [], scopes: [], signIn: 'key', issuer: '' },
  operation: 'SendMessage',
  resource: { agentId: 'a', agentTags: [], skillId: null, tags: [] },
} as const;

describe('a text of Cedar', () => {
  it('with a type that there is not is refused with those that there are', async () => {
    expect(await faultsOf('forbid(principal in Org::"x", action, resource);')).toEqual([
      expect.stringMatching(
        /`Org` \(did you mean `Tag`\?; the types are Organization, Group, Scope, Tag, Hub, Caller, Agent, Skill\)$/,
      ),
    ]);
    const [action] = await faultsOf('forbid(principal, action == Action::"Send", resource);');
    expect(action).not.toContain('the types are');
  });

  it.each(Object.entries(NESTED))('is refused when too deep with %s', async (_, make) => {
    for (const n of [nesting + 1, 300, 3000]) {
      const [fault, ...more] = await faultsOf(when(make(n)));
      expect(fault).toMatch(
        /^line \d+, column \d+: brackets and ifs are nested more than 24 deep$/,
      );
      expect(more).toEqual([]);
      expect(await statementsIn(when(make(n)))).toBeUndefined();
    }
  });

  it.each(Object.entries(JOINED))('is refused when too long a chain of %s', async (_, make) => {
    for (const n of [operators + 1, 200, 5000]) {
      expect(await faultsOf(when(make(n)))).toEqual([
        expect.stringMatching(
          /^line 1, column \d+: more than 50 operators and brackets are each an operand/,
        ),
      ]);
      expect(await statementsIn(when(make(n)))).toBeUndefined();
    }
  });

  it.each([...Object.entries(NESTED), ...Object.entries(JOINED)])(
    'is read as deep as may be with %s',
    async (name, make) => {
      // The braces of `when` are one level; the last operand has some, too.
      const n = name in NESTED ? nesting - 1 : operators - 3;
      const faults = await faultsOf(when(make(n)));
      expect(faults.join()).not.toMatch(/more than|the engine/);
    },
  );

  it.each([
    '9223372036854775807 > 0',
    '-9223372036854775808 < 0',
    '9007199254740993 > 9007199254740992',
    '[1, 2, 9007199254740992].contains(3)',
  ])('is refused with a number that its JSON form does not keep: %s', async (condition) => {
    const text = `permit(principal, action, resource) when { principal.signIn == "key" && ${condition} };`;
    expect(await readText(text)).toEqual({
      faults: [expect.stringMatching(/^line 1, column 1: numbers go from -9007199254740991 to 90/)],
    });
    expect(await statementsIn(text)).toBeUndefined();
  });

  it('may hold the widest numbers that there are', async () => {
    const text = `permit(principal, action, resource) when { principal.signIn == "key" && [9007199254740991, -9007199254740991].contains(3) };`;
    expect(await readText(text)).toHaveProperty('statements');
  });

  it('is said to be too deep with its place', async () => {
    const text = `permit(principal, action, resource);\n// "é"\n${when(NESTED['sets']!(40))}`;
    const column = when('').indexOf('{') + 2 + nesting;
    expect(await faultsOf(text)).toEqual([
      `line 3, column ${column}: brackets and ifs are nested more than 24 deep`,
    ]);
    const long = `permit(principal, action, resource);\n${when(JOINED['or']!(70))}`;
    expect(await faultsOf(long)).toEqual([
      expect.stringMatching(/^line 2, column \d+: more than 50/),
    ]);
  });

  it('decides with statements of as many operators as may be, and many statements that nest a little', async () => {
    const agents = Array.from({ length: 49 }, (_, n) => `resource == Agent::"a${n}"`);
    const many = Array.from({ length: 40 }, () => when('(((["x"].contains("x"))))'));
    const forbid = `forbid(principal, action == Action::"SendMessage", resource) when { ${agents.join(' || ')} };`;
    const text = [forbid, ...many].join('\n');
    expect(await faultsOf(text)).toEqual([]);
    const set = await PolicySet.read('text-spec', [{ id: 'p', text }], 'permit');
    const ask = (agentId: string): boolean =>
      set.decide({
        caller: { id: 'p', organization: 'o', groups: [], scopes: [], signIn: 'key', issuer: '' },
        operation: 'SendMessage',
        resource: { agentId, agentTags: [], skillId: null, tags: [] },
      }).isAllowed;
    expect([ask('a0'), ask('a48'), ask('a49')]).toEqual([false, false, true]);
  });

  it('is refused when too deep at the left, in brackets that have ended', async () => {
    const left = (n: number, brackets: number): string =>
      brackets === 0 ? 'true' : `(${left(n, brackets - 1)})${'||true'.repeat(n)}`;
    for (const brackets of [3, 5, 20]) {
      expect(await faultsOf(when(left(20, brackets)))).toEqual([
        expect.stringMatching(/^line 1, column \d+: more than 50 operators and brackets/),
      ]);
    }
    expect(await faultsOf(when(left(20, 2)))).toEqual([]);
    const first = `principal.signIn${'.a'.repeat(30)} == 1${' || true'.repeat(30)}`;
    expect(await faultsOf(when(first))).toEqual([expect.stringContaining('more than 50')]);
  });

  it('never makes the engine fail, whatever is nested in what', async () => {
    const makers = [...Object.values(NESTED), ...Object.values(JOINED)];
    let read = 0;
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let n = 0; n < 100; n += 1) {
      let text = when('true');
      for (let levels = random(5) + 1; levels > 0; levels -= 1) {
        const condition = makers[random(makers.length)]!(random(25) + 1);
        text = text.replace(/true(?=[^e]*$)/, () => condition);
      }
      if (random(3) === 0) text = text.slice(0, random(text.length));
      expect((await faultsOf(text)).join()).not.toContain('the engine of Cedar failed');
      const set = await PolicySet.read('text-spec-random', [{ id: 'p', text }], 'permit');
      const errors = set.decide(question).errors.join();
      expect(errors).not.toMatch(/engine|recursion/);
      read += /cannot be read/.test(errors) ? 0 : 1;
    }
    expect(read).toBeGreaterThan(20);
  });
});
