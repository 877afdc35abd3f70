import type { FieldViolation } from '../common/hub-error.js';
import { readText } from './cedar-text.js';
import { explain } from './domain/explain.js';
import { questionOf } from './domain/question-of.js';
import type { Policy } from './domain/policy.js';
import { PolicySet, type PolicyDefault } from './policy-set.js';

/** The set that questions are put to which decide nothing. */
const TRIED = 'tried';

/** A set of policies for one question: another takes its place with the next. */
export function trySet(
  policies: readonly Pick<Policy, 'id' | 'text'>[],
  usual: PolicyDefault,
): PolicySet {
  return new PolicySet(TRIED, policies, usual);
}

/** What is wrong with the text of a policy. */
export function faultsOfText(text: string): FieldViolation[] {
  const read = readText(text);
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
): FieldViolation[] {
  let last: { readonly of: string; readonly set: PolicySet } | undefined;
  return tests.flatMap((test, index) => {
    const field = `tests[${index}]`;
    const question = questionOf(test, organization);
    if (typeof question === 'string') return [{ field, description: question }];
    const of = question.caller.organization;
    if (last?.of !== of) last = { of, set: trySet(deciding(of), usual) };
    const decision = last.set.decide(question);
    const isRight = decision.isAllowed === (test.expect === 'allow');
    const description = `(${test.name}) expects ${test.expect}, but ${explain(decision)}`;
    return isRight ? [] : [{ field, description }];
  });
}
