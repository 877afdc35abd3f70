import { cedar, SCHEMA_NAME } from './cedar.js';
import { type Statement, statementsIn } from './cedar-text.js';
import { cedarQuestion } from './domain/cedar-schema.js';
import { Mentions } from './domain/mentions.js';
import {
  HUB_OPERATIONS,
  type DecidingPolicy,
  type Policy,
  type PolicyDecision,
  type PolicyQuestion,
} from './domain/policy.js';

/** What the hub's own statements are called. */
export const BUILT_IN = 'built-in';
const QUOTED = HUB_OPERATIONS.map((name) => `Action::"${name}"`).join(', ');
/** Whatever a caller may do by its scopes, unless a policy forbids it. */
const PERMIT_HUB = `permit(principal, action in [${QUOTED}], resource);`;
const PERMIT_ALL = 'permit(principal, action, resource);';

/** What nothing is permitted that no policy permits: `deny`; or everything that none forbids: `permit`. */
export type PolicyDefault = 'permit' | 'deny';

type Source = Pick<Policy, 'id' | 'text'>;

/** Which set the engine has under each name. */
const inEngine = new Map<string, PolicySet>();

/** Policies that decide together. A decision that cannot be made is a refusal. */
export class PolicySet {
  private readonly named = new Map<string, DecidingPolicy>();
  /** Why nothing can be decided, which refuses everything. */
  private readonly faults: string[] = [];
  /** What its policies speak of. */
  readonly mentions = new Mentions();

  private readonly statements = new Map<string, Statement>();

  /** `name` is the engine's for the set: the engine forgets none, so a later set of the same name takes its place there. */
  constructor(
    private readonly name: string,
    policies: readonly Source[],
    usual: PolicyDefault,
    statementsOf: (text: string) => readonly Statement[] | undefined = statementsIn,
  ) {
    const all = this.statements;
    const add = (id: string, statements: readonly Statement[]): void =>
      statements.forEach((statement, index) => {
        const { effect, reason } = statement;
        all.set(`${id}#${index}`, statement);
        this.named.set(`${id}#${index}`, { id, effect, reason });
      });
    add(BUILT_IN, builtIn(usual));
    for (const policy of policies) {
      const statements = statementsOf(policy.text);
      if (statements === undefined) this.faults.push(`the policy ${policy.id} cannot be read`);
      else add(policy.id, statements);
    }
    for (const { json } of all.values()) this.mentions.add(json);
    this.load();
  }

  decide(question: PolicyQuestion): PolicyDecision {
    const refused = (errors: readonly string[]): PolicyDecision => ({
      isAllowed: false,
      policies: [],
      errors,
    });
    // Who began with this set while another has taken its place goes on with it.
    if (inEngine.get(this.name) !== this) this.load();
    if (this.faults.length > 0) return refused(this.faults);
    const answer = cedar().statefulIsAuthorized({
      ...cedarQuestion(question),
      context: {},
      preparsedPolicySetId: this.name,
      preparsedSchemaName: SCHEMA_NAME,
      validateRequest: true,
    });
    if (answer.type === 'failure') return refused(answer.errors.map(({ message }) => message));
    const { decision, diagnostics } = answer.response;
    // The engine passes over a statement that fails: a forbid that fails would permit.
    if (diagnostics.errors.length > 0) {
      return refused(diagnostics.errors.map(({ error }) => error.message));
    }
    const policies = diagnostics.reason.map((id) => this.named.get(id)!);
    return { isAllowed: decision === 'allow', policies, errors: [] };
  }

  private load(): void {
    const named = [...this.statements].map(([id, { json }]) => [id, json] as const);
    const staticPolicies = Object.fromEntries(named);
    const prepared = cedar().preparsePolicySet(this.name, { staticPolicies });
    inEngine.set(this.name, this);
    if (prepared.type === 'failure') {
      this.faults.push(...prepared.errors.map(({ message }) => message));
    }
  }
}

function builtIn(usual: PolicyDefault): readonly Statement[] {
  return statementsIn(usual === 'permit' ? PERMIT_ALL : PERMIT_HUB)!;
}
