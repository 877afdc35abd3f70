import { afterAll, beforeAll, describe } from '@jest/globals';
import type { AgentBinding } from '../support/agents.js';
import { chosenOf } from '../support/thorough.js';
import { describeContents, describePush } from './matrix-contents.js';
import { AGENTS, isUsualPair, Matrix, named, type Pair, VERSIONS } from './matrix-harness.js';
import { describeErrors, describeTasks } from './matrix-tasks.js';

/** Pairs of a client on this binding, in both versions, with the six agents: all where the run is thorough. */
export function describeMatrix(binding: AgentBinding): void {
  let matrix: Matrix;
  beforeAll(async () => {
    matrix = await Matrix.start(binding);
  });
  afterAll(() => matrix.close());

  const pairs = VERSIONS.flatMap((version) =>
    AGENTS.map((agent) => ({ client: { binding, version }, agent })),
  );
  for (const { client, agent } of chosenOf(pairs, (pair) => isUsualPair(pair.client, pair.agent))) {
    describe(`a client ${named(client)} with an agent ${named(agent)}`, () => {
      const pair = (): Pair => matrix.pair(client, agent);
      describeTasks(client, pair);
      describeContents(client, agent, pair);
      describePush(client, pair, () => matrix.sink);
      describeErrors(pair);
    });
  }
}
