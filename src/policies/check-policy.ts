import type { FieldViolation } from '../common/hub-error.js';
import { readText } from './cedar-text.js';
import { explain } from './domain/explain.js';
import { questionOf } from './domain/question-of.js';
import type { Policy, PolicyDecision, PolicyQuestion } from './domain/policy.js';
import { Turns } from './in-turns.js';
import { PolicySet, type PolicyDefault } from './policy-set.js';

/** The set that questions are put to which decide nothing. */
const TRIED = 'tried';
let trying: Promise<unknown> = Promise.resolve();

/** Makes sets to put questions to which decide nothing. */
type TrySet = (policies: readonly Policy[], usual: PolicyDefault) => Promise<PolicySet>;

/** Tries something with such sets, alone: the engine has them all under one name. */
function tryOut<T>(work: (setOf: TrySet) => Promise<T>): Promise<T> {
  const tried = trying.then(() =>
    work((policies, usual) => PolicySet.read(TRIED, policies, usual)),
  );
  trying = tried.catch(() => undefined);
  return tried;
}

/** A decision, and whether it is that of the skills: all are refused, though the agent itself is not. */
export interface WouldDecide {
  readonly decision: PolicyDecision;
  readonly isOfSkills: boolean;
}

/** What these policies would decide; where there are questions of skills, one of them has to be permitted, too. */
export function wouldDecide(
  question: PolicyQuestion,
  ofSkills: readonly PolicyQuestion[],
  policies: readonly Policy[],
  usual: PolicyDefault,
): Promise<WouldDecide> {
  return tryOut(async (setOf) => {
    const set = await setOf(policies, usual);
    const decision = set.decide(question);
    const ofAgent = { decision, isOfSkills: false };
    if (!decision.isAllowed || ofSkills.length === 0) return ofAgent;
    const refusals: PolicyDecision[] = [];
    const turns = new Turns();
    for (const each of ofSkills) {
      await turns.next();
      const refusal = set.decide(each);
      if (refusal.isAllowed) return ofAgent;
      refusals.push(refusal);
    }
    return { decision: together(refusals), isOfSkills: true };
  });
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

/**
 * The tests of a policy that fail; `deciding` gives the policies for the callers of an organization, this one among them
 * as it is to be saved.
 */
export function failingTests(
  { tests, organization }: Pick<Policy, 'tests' | 'organization'>,
  deciding: (organization: string) => readonly Policy[],
  usual: PolicyDefault,
): Promise<FieldViolation[]> {
  return tryOut(async (setOf) => {
    const failing: FieldViolation[] = [];
    const turns = new Turns();
    let last: { readonly of: string; readonly set: PolicySet } | undefined;
    for (const [index, test] of tests.entries()) {
      const field = `tests[${index}]`;
      const question = questionOf(test, organization);
      if ('field' in question) {
        failing.push({ ...question, field: `${field}.${question.field}` });
        continue;
      }
      const of = question.caller.organization;
      if (last?.of !== of) last = { of, set: await setOf(deciding(of), usual) };
      await turns.next();
      const decision = last.set.decide(question);
      if (decision.isAllowed === (test.expect === 'allow')) continue;
      const description = `(${test.name}) expects ${test.expect}, but ${explain(decision)}`;
      failing.push({ field, description });
    }
    return failing;
  });
}
