import { durationText } from '../../../ui/time';
import { MESSAGE, type Outcome, type PictureStep } from './plan-steps';

const BEGINS: Readonly<Record<Outcome, string>> = {
  completed: 'has completed',
  failed: 'has failed',
  ended: 'has ended either way',
};

/** A plan in sentences, for those who do not see its picture. */
export function PlanList({ steps }: { readonly steps: readonly PictureStep[] }) {
  return (
    <ol className="routing-plan-list" aria-label="Steps">
      {steps.map((step) => (
        <li key={step.name}>
          <strong>{step.name}</strong>: {sentenceOf(step)}
        </li>
      ))}
    </ol>
  );
}

function sentenceOf(step: PictureStep): string {
  const { target, how, inputs, after, isResult, isOptional, deadlineMs, problem } = step;
  const takes = inputs.map((input) => (input === MESSAGE ? 'the message' : `what ${input} made`));
  const begins = after.map(({ step: before, outcome }) => `${before} ${BEGINS[outcome]}`);
  return [
    `${target}${how ? `, ${how}` : ''}.`,
    `Takes ${takes.join(' and ') || 'nothing'}.`,
    begins.length === 0 ? 'Begins at once.' : `Begins when ${begins.join(' and ')}.`,
    isOptional && 'The task may complete without it.',
    isResult && 'Its artifacts are the result.',
    deadlineMs !== undefined && `Has ${durationText(deadlineMs)}.`,
    problem && `Wrong: ${problem}`,
  ]
    .filter(Boolean)
    .join(' ');
}
