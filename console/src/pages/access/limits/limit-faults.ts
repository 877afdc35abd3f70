import type { FieldViolation } from '../../../api/problem';
import { isPlainNumber } from '../../../ui/number-text';

/** What is typed of a limit. */
interface LimitTexts {
  readonly id: string;
  /** By the names of the members of a limit. */
  readonly subject: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, string>>;
  readonly budget: { readonly unit: string; readonly amount: string };
}

/** What is wrong with a limit as it is typed, at its fields and in their words. */
export function faultsOf(typed: LimitTexts): readonly FieldViolation[] {
  return [...faultsOfSubject(typed), ...faultsOfNumbers(typed)].map(([field, description]) => ({
    field,
    description,
  }));
}

type Fault = readonly [field: string, description: string];

function faultsOfSubject({ id, subject, counts }: LimitTexts): readonly Fault[] {
  const has = (name: string) => isGiven(subject[name]);
  const isOfTarget = has('agent') || has('skill');
  const faults: (Fault | false)[] = [
    !isGiven(id) && ['id', 'Give the limit an id.'],
    !has('organization') &&
      !has('principal') &&
      !isOfTarget && [
        'organization',
        'Say who or what it is for: here, or in one of the fields after it.',
      ],
    has('organization') &&
      has('principal') && [
        'principal',
        'It is for an organization or for one principal: leave one of the two empty.',
      ],
    has('agent') &&
      has('skill') && ['skill', 'A skill has its agent in its name: leave the agent empty.'],
    has('skill') &&
      !/^[a-z0-9-]{1,63}\../.test(subject['skill']!.trim()) && [
        'skill',
        'Write the agent too: AGENT.SKILL.',
      ],
    isOfTarget &&
      isGiven(counts['storedBytes']) && [
        'storedBytes',
        'Only an organization or a principal has stored bytes: leave it empty.',
      ],
  ];
  return faults.filter((each) => each !== false);
}

function faultsOfNumbers({ counts, budget }: LimitTexts): readonly Fault[] {
  const { unit, amount } = budget;
  const isEmpty = ![...Object.values(counts), unit, amount].some(isGiven);
  const faults: (Fault | false)[] = [
    isEmpty && ['openTasks', 'Limit something: at least one of these fields.'],
    ...Object.entries(counts).map(
      ([name, text]): Fault | false =>
        isGiven(text) &&
        !/^\d+$/.test(text.trim()) && [name, 'Write a number in digits alone, such as 1000.'],
    ),
    isGiven(amount) &&
      !isPlainNumber(amount) && ['budget.amount', 'Write a number, such as 12.50.'],
    isGiven(amount) && !isGiven(unit) && ['budget.unit', 'Name its unit, as the prices do.'],
    isGiven(unit) && !isGiven(amount) && ['budget.amount', 'Say how much of it.'],
  ];
  return faults.filter((each) => each !== false);
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
