import { Part, type Artifact } from '../../protocol/a2a.js';
import { artifactUpdate } from '../../protocol/build.js';
import { type PlanStep, policyOf } from '../../routing/index.js';
import type { Delegation, TaskAggregate } from '../task.js';
import type { Draft } from './draft.js';
import type { StepProgress } from './plan-progress.js';

/** Characters of JSON that one event of a release holds at most, unless a single part is larger. */
const MAX_RELEASE_SIZE = 1024 * 1024;

/**
 * Whether artifacts of this step are held back when they come, because A2A cannot take them back: of
 * racers only the winner's count, and those of a step that is not the result count only if the task
 * ends without its result.
 */
export function holdsArtifacts(step: PlanStep): boolean {
  return !step.isResult || isRace(step);
}

function isRace({ strategy, chosen }: PlanStep): boolean {
  return policyOf(strategy).isRace && chosen.length > 1;
}

/** The race of a result step has a winner: its artifacts count from now on. */
export function releaseWinner(draft: Draft, { step, delegations }: StepProgress): void {
  if (!isRace(step) || !step.isResult) return;
  for (const each of delegations) if (each.state === 'completed') release(draft, each);
}

/** The task ends without its result: every finished artifact that was held is given after all. */
export function releaseFinished(draft: Draft): void {
  for (const each of draft.delegations()) {
    if (holdsArtifacts(draft.stepOf(each))) release(draft, each);
  }
}

/**
 * The finished artifacts of a delegation, shown or held, in the order they came: all of one that
 * completed; of another those whose last chunk has come, but none of one that lost a race.
 */
export function finishedArtifacts(
  { task, held }: Pick<TaskAggregate, 'task' | 'held'>,
  { state, progress }: Delegation,
  step: PlanStep,
): Artifact[] {
  if (state !== 'completed' && isRace(step)) return [];
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
    draft.stepOf(delegation),
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
