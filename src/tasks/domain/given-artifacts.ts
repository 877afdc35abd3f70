import type { DelegationProgress, GivenArtifact } from '../task.js';

/**
 * How many artifacts one delegation may give; more are an invalid answer. What is known of each is
 * searched and written again with every further one, so their number must have an end.
 */
export const MAX_ARTIFACTS = 1000;

/** Characters of the agent's ids of these artifacts together: they stay in memory as long as the delegation runs. */
const MAX_ARTIFACT_IDS = 64 * 1024;

/** Why a delegation may not give one more artifact, under this id of the agent; undefined when it may. */
export function refusalOfArtifact(
  { artifacts }: DelegationProgress,
  theirs: string,
): string | undefined {
  if (artifacts.length >= MAX_ARTIFACTS)
    return `the agent gave more than ${MAX_ARTIFACTS} artifacts.`;
  const ids = artifacts.reduce((sum, each) => sum + each.theirs.length, theirs.length);
  if (ids <= MAX_ARTIFACT_IDS) return undefined;
  return `the ids of the agent's artifacts have more than ${MAX_ARTIFACT_IDS} characters.`;
}

/** What is known of an agent's artifact; undefined when it has not been seen. */
export function givenArtifact(
  { artifacts }: DelegationProgress,
  theirs: string,
): GivenArtifact | undefined {
  return artifacts.find((each) => each.theirs === theirs);
}

/** The same progress when the chunk changes nothing of it, so that it costs no patch. */
export function withChunk(
  progress: DelegationProgress,
  theirs: string,
  id: string,
  lastChunk: boolean,
): DelegationProgress {
  const index = progress.artifacts.findIndex((each) => each.theirs === theirs);
  if (progress.artifacts[index]?.closed === lastChunk) return progress;
  const artifact = { theirs, id, closed: lastChunk };
  const artifacts =
    index < 0 ? [...progress.artifacts, artifact] : progress.artifacts.with(index, artifact);
  return { ...progress, artifacts };
}

/** The progress of a delegation that has completed: whatever it gave is complete now. */
export function closedProgress(progress: DelegationProgress): DelegationProgress {
  if (progress.artifacts.every(({ closed }) => closed)) return progress;
  return { ...progress, artifacts: progress.artifacts.map((each) => ({ ...each, closed: true })) };
}
