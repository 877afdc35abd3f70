import { Part, type Artifact } from '../../protocol/a2a.js';
import { artifactUpdate } from '../../protocol/build.js';
import { type PlanStep, policyOf, type StepPolicy } from '../../routing/index.js';
import type { Delegation, TaskAggregate } from '../task.js';
import type { Draft } from './draft.js';
import type { StepProgress } from './plan-progress.js';

/** Characters of JSON that one event of a release holds at most, unless a single part is larger. */
const MAX_RELEASE_SIZE = 1024 * 1024;

/**
 * Whether artifacts of this step are held back when they come, because A2A cannot take them back: of agents that
 * compete only the winners' count, and those of a step that is not the result count only if the task
 * ends without its result.
 */
export function holdsArtifacts(step: PlanStep): boolean {
  return !step.isResult || winnersIn(step) !== null;
}

/** Says who counts where the agents of a step compete; null where all do. */
function winnersIn({ strategy, chosen }: PlanStep): StepPolicy['winners'] {
  return chosen.length > 1 ? policyOf(strategy).winners : null;
}

/** Of the delegations of a step those that count: where its agents compete, the winners among the completed. */
export function thatCount(
  step: PlanStep,
  delegations: readonly Delegation[],
): readonly Delegation[] {
  const winners = winnersIn(step);
  if (winners === null) return delegations;
  const completed = delegations.filter(({ state }) => state === 'completed');
  return winners(completed.toSorted((a, b) => endOf(a) - endOf(b)));
}

/** One that ends with the change under way has no time yet: it is the last. */
function endOf({ progress }: Delegation): number {
  return progress.times?.endedAt ?? Number.MAX_SAFE_INTEGER;
}

/** A result step whose agents compete has what it needs: the artifacts of the winners count from now on. */
export function releaseWinners(draft: Draft, { step, delegations }: StepProgress): void {
  if (!step.isResult || winnersIn(step) === null) return;
  for (const each of thatCount(step, delegations)) release(draft, each);
}

/** The task ends without its result: every finished artifact that was held, and counts, is given after all. */
export function releaseFinished(draft: Draft): void {
  const delegations = draft.delegations();
  for (const [index, step] of draft.plan.entries()) {
    if (!holdsArtifacts(step)) continue;
    const ofStep = delegations.filter((each) => each.step === index);
    for (const each of thatCount(step, ofStep)) release(draft, each);
  }
}

/**
 * The finished artifacts of a delegation, shown or held, in the order they came: all of one that
 * completed; of another those whose last chunk has come.
 */
export function finishedArtifacts(
  { task, held }: Pick<TaskAggregate, 'task' | 'held'>,
  { state, progress }: Delegation,
): Artifact[] {
  const given = new Map(
    [...task.artifacts, ...held].map((artifact) => [artifact.artifactId, artifact]),
  );
  return progress.artifacts.flatMap(({ id, closed }) => {
    const finished = state === 'completed' || closed;
    return (finished && given.get(id)) || [];
  });
}

function release(draft: Draft, delegation: Delegation): void {
  const held = draft.held();
  const finished = finishedArtifacts(
    { task: { ...draft.aggregate.task, artifacts: [] }, held },
    delegation,
  );
  for (const artifact of finished) emitWhole(draft, artifact);
}

/** An artifact as one event, or as several when it is large: the parts after the first are appended. */
function emitWhole(draft: Draft, artifact: Artifact): void {
  const pieces = piecesOf(artifact.parts);
  pieces.forEach((parts, i) => {
    const rest = { name: '', description: '', metadata: undefined, extensions: [] };
    draft.emit(
      'artifact',
      artifactUpdate(draft.ref, {
        artifact: i === 0 ? { ...artifact, parts } : { ...artifact, ...rest, parts },
        append: i > 0,
        lastChunk: i === pieces.length - 1,
      }),
    );
  });
}

function piecesOf(parts: readonly Part[]): Part[][] {
  const pieces: Part[][] = [[]];
  let size = 0;
  for (const part of parts) {
    const added = JSON.stringify(Part.toJSON(part)).length;
    const piece = pieces.at(-1);
    if (piece && (piece.length === 0 || size + added <= MAX_RELEASE_SIZE)) {
      piece.push(part);
      size += added;
    } else {
      pieces.push([part]);
      size = added;
    }
  }
  return pieces;
}
