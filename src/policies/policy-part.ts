import { CedarFailure, loadCedar, policySetsInCedar, SCHEMA_NAME, withCedar } from './cedar.js';
import { type Statement, statementsIn } from './cedar-text.js';
import { cedarQuestion } from './domain/cedar-schema.js';
import { Mentions } from './domain/mentions.js';
import type { DecidingPolicy, Policy, PolicyQuestion } from './domain/policy.js';
import { type QuestionScope, StatementScope } from './domain/statement-scope.js';
import { nextSlice } from '../common/slices.js';

/** Statements that the engine is given in one piece: more of them would stop the event loop. */
const PART = 20;

/** What the statements of a part say to a question. */
export interface PartAnswer {
  /** The forbids that apply, else the permits that do. */
  readonly policies: readonly DecidingPolicy[];
  readonly isAllowed: boolean;
  /** Why it could not be asked. */
  readonly errors: readonly string[];
}

/** Some of the statements that decide, as the engine takes them. */
export class PolicyPart {
  readonly mentions = new Mentions();
  private readonly statements = new Map<string, Statement>();
  private readonly scopes: StatementScope[] = [];
  private readonly named = new Map<string, DecidingPolicy>();
  private errors: readonly string[] = [];

  /** `name` is the engine's: the engine forgets none, so a later part of the same name takes its place there. */
  constructor(private readonly name: string) {}

  get isFull(): boolean {
    return this.statements.size >= PART;
  }

  /** Adds a statement of a policy, before the part is first asked. */
  add(policyId: string, statement: Statement): void {
    const { effect, reason, json } = statement;
    const id = `${policyId}#${this.statements.size}`;
    this.statements.set(id, statement);
    this.named.set(id, { id: policyId, effect, reason });
    this.scopes.push(new StatementScope(json));
    this.mentions.add(json);
  }

  /** Itself, where it has no statement of these policies; else one with the other statements, under another name. */
  without(policyIds: ReadonlySet<string>, name = `${this.name} left`): PolicyPart {
    const others = [...this.statements].filter(([id]) => !policyIds.has(this.named.get(id)!.id));
    if (others.length === this.statements.size) return this;
    const part = new PolicyPart(name);
    for (const [id, statement] of others) part.add(this.named.get(id)!.id, statement);
    return part;
  }

  get isEmpty(): boolean {
    return this.statements.size === 0;
  }

  /** `scope` is that of the question. */
  ask(question: PolicyQuestion, scope: QuestionScope): PartAnswer {
    if (!this.scopes.some((each) => each.fits(scope))) return NOT_MEANT;
    try {
      return this.answer(question);
    } catch (error) {
      if (error instanceof CedarFailure) return failed([error.message]);
      throw error;
    }
  }

  private answer(question: PolicyQuestion): PartAnswer {
    // Who began with this part while another has taken its place goes on with it.
    if (policySetsInCedar().get(this.name) !== this) this.load();
    if (this.errors.length > 0) return failed(this.errors);
    const call = {
      ...cedarQuestion(this.mentions.reduced(question)),
      context: {},
      preparsedPolicySetId: this.name,
      preparsedSchemaName: SCHEMA_NAME,
      validateRequest: true,
    };
    const answer = withCedar((cedar) => cedar.statefulIsAuthorized(call));
    if (answer.type === 'failure') return failed(answer.errors.map(({ message }) => message));
    const { decision, diagnostics } = answer.response;
    // The engine passes over a statement that fails: a forbid that fails would permit.
    if (diagnostics.errors.length > 0) {
      return failed(diagnostics.errors.map(({ error }) => error.message));
    }
    const policies = diagnostics.reason.map((id) => this.named.get(id)!);
    return { isAllowed: decision === 'allow', policies, errors: [] };
  }

  /** Gives it to the engine, before it is first asked: what the engine fails to take then it is given when it is asked. */
  loadEarly(): void {
    try {
      this.load();
    } catch (error) {
      if (!(error instanceof CedarFailure)) throw error;
    }
  }

  private load(): void {
    const named = [...this.statements].map(([id, { json }]) => [id, json] as const);
    const staticPolicies = Object.fromEntries(named);
    const prepared = withCedar((cedar) => cedar.preparsePolicySet(this.name, { staticPolicies }));
    policySetsInCedar().set(this.name, this);
    this.errors = prepared.type === 'failure' ? prepared.errors.map(({ message }) => message) : [];
  }
}

/** Policies, read and given to the engine. */
export interface ReadPolicies {
  readonly parts: readonly PolicyPart[];
  /** The policies that cannot be read: nothing is permitted with them. */
  readonly unreadable: readonly string[];
}

export const NO_POLICIES: ReadPolicies = { parts: [], unreadable: [] };

/** Reads policies in turns with other work. Those read under the same name before lose their place in the engine. */
export async function readPolicies(
  name: string,
  policies: readonly Pick<Policy, 'id' | 'text'>[],
  read = statementsIn,
): Promise<ReadPolicies> {
  const parts: PolicyPart[] = [];
  const unreadable: string[] = [];
  if (policies.length > 0) await loadCedar();
  let part: PolicyPart | undefined;
  for (const { id, text } of policies) {
    const statements = await read(text);
    if (statements === undefined) unreadable.push(id);
    for (const statement of statements ?? []) {
      if (part === undefined) parts.push((part = new PolicyPart(`${name}/${parts.length}`)));
      part.add(id, statement);
      if (!part.isFull) continue;
      part.loadEarly();
      part = undefined;
      await nextSlice();
    }
  }
  part?.loadEarly();
  return { parts, unreadable };
}

/** The same but for one policy, in turns with other work; `name` as with {@link readPolicies}. */
export async function withoutPolicy(
  name: string,
  { parts, unreadable }: ReadPolicies,
  policyId: string,
): Promise<ReadPolicies> {
  const left: PolicyPart[] = [];
  const policyIds = new Set([policyId]);
  for (const part of parts) {
    await nextSlice();
    const rest = part.without(policyIds, `${name}/${left.length}`);
    if (rest.isEmpty) continue;
    if (rest !== part) rest.loadEarly();
    left.push(rest);
  }
  return { parts: left, unreadable: unreadable.filter((id) => id !== policyId) };
}

/** The same but for these policies, at once: parts that lose some are given to the engine when they are first asked. */
export function besides(
  { parts, unreadable }: ReadPolicies,
  policyIds: ReadonlySet<string>,
): ReadPolicies {
  return {
    parts: parts.map((part) => part.without(policyIds)).filter((part) => !part.isEmpty),
    unreadable: unreadable.filter((id) => !policyIds.has(id)),
  };
}

/** No statement is about the question. */
const NOT_MEANT: PartAnswer = { isAllowed: false, policies: [], errors: [] };

function failed(errors: readonly string[]): PartAnswer {
  return { isAllowed: false, policies: [], errors };
}
