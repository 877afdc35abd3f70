import { describe, expect, it, jest } from '@jest/globals';
import { CedarFailure, loadCedar, policySetsInCedar, withCedar } from './cedar.js';
import { cedarQuestion } from './domain/cedar-schema.js';
import { scopeOf } from './domain/statement-scope.js';
import { statementsIn } from './cedar-text.js';
import { type PolicyPart, readPolicies } from './policy-part.js';

const DEEP = `permit(principal, action, resource) when { ${'['.repeat(300)}${']'.repeat(300)} == 1 };`;
const ALL = 'permit(principal, action, resource);';

describe('the engine of Cedar', () => {
  const types = (text: string): string =>
    withCedar((cedar) => cedar.policySetTextToParts(text)).type;

  it('is another one after it has run out of stack, and answers again', async () => {
    await loadCedar();
    for (let times = 0; times < 3; times += 1) {
      expect(() => types(DEEP)).toThrow(CedarFailure);
      expect(types(ALL)).toBe('success');
      expect(types('permit(')).toBe('failure');
    }
  });

  it('is given the policies again that it had before it failed', async () => {
    const { parts } = await readPolicies('cedar-spec', [
      { id: 'none', text: 'forbid(principal, action, resource in Agent::"books");' },
    ]);
    const [part] = parts;
    const ask = (agentId: string): boolean => {
      const question = {
        caller: { id: 'p', organization: 'o', groups: [], scopes: [], signIn: 'key', issuer: '' },
        operation: 'SendMessage',
        resource: { agentId, agentTags: [], skillId: null, tags: [] },
      } as const;
      return part!.ask(question, scopeOf(cedarQuestion(question))).policies.length > 0;
    };
    expect(() => types(DEEP)).toThrow(CedarFailure);
    expect(policySetsInCedar().size).toBe(0);
    expect(ask('books')).toBe(true);
    expect(ask('others')).toBe(false);
  });

  it('refuses while it cannot be started, and answers again when it can', async () => {
    const { parts } = await readPolicies('cedar-spec-start', [{ id: 'all', text: ALL }]);
    const question = {
      caller: { id: 'p', organization: 'o', groups: [], scopes: [], signIn: 'key', issuer: '' },
      operation: 'SendMessage',
      resource: { agentId: 'a', agentTags: [], skillId: null, tags: [] },
    } as const;
    const ask = (): ReturnType<PolicyPart['ask']> =>
      parts[0]!.ask(question, scopeOf(cedarQuestion(question)));
    expect(ask().isAllowed).toBe(true);
    expect(() => types(DEEP)).toThrow(CedarFailure);
    const start = jest.spyOn(WebAssembly, 'Instance').mockImplementation(() => {
      throw new RangeError('out of memory');
    });
    const why = 'the engine of Cedar cannot be started: out of memory';
    expect(ask()).toEqual({ isAllowed: false, policies: [], errors: [why] });
    expect(() => types(ALL)).toThrow(why);
    expect(await statementsIn(`${ALL} // not read before`)).toBeUndefined();
    start.mockRestore();
    expect(ask().isAllowed).toBe(true);
    expect(await statementsIn(`${ALL} // not read before`)).toHaveLength(1);
  });

  it('is the same one after an answer that could not be given', async () => {
    await loadCedar();
    const deep = { kind: 'Value', value: nested(200) };
    const policy = { effect: 'permit', conditions: [{ kind: 'when', body: deep }] };
    const { size } = policySetsInCedar().set('kept', {});
    const staticPolicies = { a: policy as never };
    expect(() =>
      withCedar((cedar) => cedar.preparsePolicySet('cedar-spec-deep', { staticPolicies })),
    ).toThrow(/recursion limit/);
    expect(policySetsInCedar().size).toBe(size);
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
