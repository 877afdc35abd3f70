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

/** What these policies would decide. */
export function wouldDecide(
  question: PolicyQuestion,
  policies: readonly Policy[],
  usual: PolicyDefault,
): Promise<PolicyDecision> {
  return tryOut(async (setOf) => (await setOf(policies, usual)).decide(question));
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
      if (typeof question === 'string') {
        failing.push({ field, description: question });
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
