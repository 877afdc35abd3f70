import type { FieldViolation } from '../common/hub-error.js';
import { readText } from './cedar-text.js';
import { explain } from './domain/explain.js';
import {
  type Policy,
  POLICY_LIMITS,
  type PolicyDecision,
  type PolicyQuestion,
  type PolicyTest,
} from './domain/policy.js';
import { questionOf } from './domain/question-of.js';
import { nextSlice } from '../common/slices.js';
import { type PolicyChange, TriedChange } from './policy-change.js';
import type { PolicyLayers } from './policy-layers.js';
import { PolicySet, type PolicyDefault } from './policy-set.js';

/** What the engine calls policies that are tried and decide nothing. */
const TRIED = 'tried';
let trying: Promise<unknown> = Promise.resolve();

/** Tries something alone: the engine has all that is tried under one name. */
function tryOut<T>(work: () => Promise<T>): Promise<T> {
  const tried = trying.then(work);
  trying = tried.catch(() => undefined);
  return tried;
}

/** The tests that a change makes fail. */
export interface FailingTests {
  /** Of the policy that is changed. */
  readonly own: readonly FieldViolation[];
  /** Of others: those that would pass without it, the first {@link POLICY_LIMITS.tests} of them. */
  readonly others: readonly FieldViolation[];
}

/** The tests that fail when a change is made of the policies in force. */
export function failingAfter(change: PolicyChange, inForce: PolicyLayers): Promise<FailingTests> {
  return tryOut(async () => failingOf(await TriedChange.read(TRIED, change, inForce)));
}

/** A decision, and whether it is that of the skills: all are refused, though the agent itself is not. */
export interface WouldDecide {
  readonly decision: PolicyDecision;
  readonly isOfSkills: boolean;
  /** Of the questions of each skill, in their order. */
  readonly ofEach: readonly PolicyDecision[];
  /** Null: without a change. */
  readonly failing: FailingTests | null;
}

/**
 * What the policies in force, or these after a change, would decide; where there are questions of skills, one of them has to be
 * permitted, too. `each` are further questions, each decided by itself.
 */
export function wouldDecide(
  question: PolicyQuestion,
  ofSkills: readonly PolicyQuestion[],
  inForce: PolicyLayers,
  change: PolicyChange | undefined,
  each: readonly PolicyQuestion[] = [],
): Promise<WouldDecide> {
  return tryOut(async () => {
    const tried = change && (await TriedChange.read(TRIED, change, inForce));
    const set = (tried?.layers.after ?? inForce).setFor(question.caller.organization);
    const decided = await decidedWithSkills(set, question, ofSkills);
    const ofEach: PolicyDecision[] = [];
    for (const one of each) {
      await nextSlice();
      ofEach.push(set.decide(one));
    }
    return { ...decided, ofEach, failing: tried === undefined ? null : await failingOf(tried) };
  });
}

async function decidedWithSkills(
  set: PolicySet,
  question: PolicyQuestion,
  ofSkills: readonly PolicyQuestion[],
): Promise<Omit<WouldDecide, 'failing' | 'ofEach'>> {
  const decision = set.decide(question);
  const ofAgent = { decision, isOfSkills: false };
  if (!decision.isAllowed || ofSkills.length === 0) return ofAgent;
  const refusals: PolicyDecision[] = [];
  for (const each of ofSkills) {
    await nextSlice();
    const refusal = set.decide(each);
    if (refusal.isAllowed) return ofAgent;
    refusals.push(refusal);
  }
  return { decision: together(refusals), isOfSkills: true };
}

/** Several refusals as one. */
function together(refusals: readonly PolicyDecision[]): PolicyDecision {
  const policies = new Map(
    refusals.flatMap((each) => each.policies).map((each) => [JSON.stringify(each), each]),
  );
  const errors = new Set(refusals.flatMap((each) => each.errors));
  return { isAllowed: false, policies: [...policies.values()], errors: [...errors] };
}

/** What is wrong with the text of a policy. */
export async function faultsOfText(text: string): Promise<FieldViolation[]> {
  const read = await readText(text);
  return 'faults' in read ? read.faults.map((description) => ({ field: 'text', description })) : [];
}

/** The tests of a policy that fail; `deciding` gives the policies for the callers of an organization. */
export function failingTests(
  policy: Pick<Policy, 'tests' | 'organization'>,
  deciding: (organization: string) => readonly Policy[],
  usual: PolicyDefault,
): Promise<FieldViolation[]> {
  return tryOut(() =>
    failingOwn(policy, (organization) => PolicySet.read(TRIED, deciding(organization), usual)),
  );
}

async function failingOf(tried: TriedChange): Promise<FailingTests> {
  const { after } = tried.change;
  const setFor = (organization: string): PolicySet => tried.layers.after.setFor(organization);
  // Out of force it decides nothing: its tests are for when it is put in force again.
  const own = after?.enabled === true ? await failingOwn(after, setFor) : [];
  return { own, others: await failingOthers(tried) };
}

async function failingOwn(
  { tests, organization }: Pick<Policy, 'tests' | 'organization'>,
  setFor: (organization: string) => PolicySet | Promise<PolicySet>,
): Promise<FieldViolation[]> {
  const failing: FieldViolation[] = [];
  let last: { readonly of: string; readonly set: PolicySet } | undefined;
  for (const [index, test] of tests.entries()) {
    const field = `tests[${index}]`;
    const question = questionOf(test, organization);
    if ('field' in question) {
      failing.push({ ...question, field: `${field}.${question.field}` });
      continue;
    }
    const of = question.caller.organization;
    if (last?.of !== of) last = { of, set: await setFor(of) };
    await nextSlice();
    failing.push(...failureOf(field, test, last.set.decide(question)));
  }
  return failing;
}

async function failingOthers(tried: TriedChange): Promise<FieldViolation[]> {
  const failing: FieldViolation[] = [];
  for (const { id, organization, tests } of tried.others) {
    for (const [index, test] of tests.entries()) {
      const question = questionOf(test, organization);
      await nextSlice();
      if ('field' in question || !tried.mayFail(question, test.expect)) continue;
      const field = `policies[${id}].tests[${index}]`;
      const failure = (which: 'before' | 'after'): FieldViolation[] => {
        const set = tried.layers[which].setFor(question.caller.organization);
        return failureOf(field, test, set.decide(question));
      };
      const fails = failure('after');
      if (fails.length === 0 || failure('before').length > 0) continue;
      failing.push(...fails);
      if (failing.length >= POLICY_LIMITS.tests) return failing;
    }
  }
  return failing;
}

/** One, or none. */
function failureOf(
  field: string,
  { name, expect }: PolicyTest,
  decision: PolicyDecision,
): FieldViolation[] {
  if (decision.isAllowed === (expect === 'allow')) return [];
  return [{ field, description: `(${name}) expects ${expect}, but ${explain(decision)}` }];
}
