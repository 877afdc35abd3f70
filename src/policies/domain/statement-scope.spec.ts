import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadCedar, SCHEMA_NAME, withCedar } from '../cedar.js';
import { cedarQuestion } from './cedar-schema.js';
import { HUB_OPERATIONS, type PolicyQuestion } from './policy.js';
import { scopeOf, StatementScope } from './statement-scope.js';

const PRINCIPALS = [
  'principal',
  'principal == Caller::"p1"',
  'principal == Caller::"o\\u{62}\\"é"',
  'principal in Caller::"p1"',
  'principal in Organization::"acme"',
  'principal in Group::"staff"',
  'principal in Group::"acme"',
  'principal in Scope::"a2a"',
  'principal is Caller',
  'principal is Caller in Group::"staff"',
  'principal is Agent',
];
const ACTIONS = [
  'action',
  'action == Action::"SendMessage"',
  'action in Action::"GetTask"',
  'action in [Action::"GetTask", Action::"SendMessage"]',
  'action in []',
];
const RESOURCES = [
  'resource',
  'resource == Hub::"hub"',
  'resource == Agent::"books"',
  'resource in Agent::"books"',
  'resource == Skill::"books.read"',
  'resource in Skill::"books.read"',
  'resource in Tag::"finance"',
  'resource in Tag::"of-agent"',
  'resource is Skill',
  'resource is Agent in Tag::"of-agent"',
  'resource is Skill in Tag::"of-agent"',
];
const resource = { agentId: 'books', agentTags: [], skillId: null, tags: [] };
const RESOURCES_MEANT: readonly (PolicyQuestion['resource'] | undefined)[] = [
  undefined,
  resource,
  { ...resource, agentTags: ['Of-Agent'] },
  { ...resource, skillId: 'read', tags: ['Finance'] },
  { ...resource, skillId: 'write', agentTags: ['of-agent'] },
  { ...resource, agentId: 'others', skillId: 'read', tags: ['finance'] },
];
const caller = { organization: 'acme', groups: [], scopes: [], signIn: 'key', issuer: '' } as const;
const CALLERS: readonly PolicyQuestion['caller'][] = [
  { ...caller, id: 'p1' },
  { ...caller, id: 'ob"é', groups: ['staff', 'p1'] },
  { ...caller, id: 'acme', organization: 'umbrella', scopes: ['a2a'] },
];

const QUESTIONS = CALLERS.flatMap((who) =>
  RESOURCES_MEANT.flatMap((what): PolicyQuestion[] =>
    what === undefined
      ? HUB_OPERATIONS.slice(0, 2).map((operation) => ({ caller: who, operation, resource: null }))
      : [{ caller: who, operation: 'SendMessage', resource: what! }],
  ),
);

describe('the scope of a statement', () => {
  beforeAll(loadCedar);

  it('fits the questions that the engine applies the statement to, and no others', () => {
    let fitting = 0;
    for (const principal of PRINCIPALS) {
      for (const action of ACTIONS) {
        const statements = RESOURCES.map((what) => `permit(${principal}, ${action}, ${what});`);
        const scopes = statements.map((text) => {
          const read = withCedar((cedar) => cedar.policyToJson(text));
          if (read.type === 'failure') throw new Error(`${text}: ${read.errors[0]!.message}`);
          return new StatementScope(read.json);
        });
        const staticPolicies = Object.fromEntries(statements.map((text, at) => [`${at}`, text]));
        withCedar((cedar) => cedar.preparsePolicySet('scope-spec', { staticPolicies }));
        for (const question of QUESTIONS) {
          const put = cedarQuestion(question);
          const answer = withCedar((cedar) =>
            cedar.statefulIsAuthorized({
              ...put,
              context: {},
              preparsedPolicySetId: 'scope-spec',
              preparsedSchemaName: SCHEMA_NAME,
              validateRequest: true,
            }),
          );
          if (answer.type === 'failure') throw new Error(answer.errors[0]!.message);
          const applied = new Set(answer.response.diagnostics.reason.map(Number));
          const meant = scopeOf(put);
          const fits = scopes.flatMap((scope, at) => (scope.fits(meant) ? [at] : []));
          expect([action, principal, fits]).toEqual([
            action,
            principal,
            [...applied].sort((a, b) => a - b),
          ]);
          fitting += fits.length;
        }
      }
    }
    expect(fitting).toBeGreaterThan(500);
  });
});
