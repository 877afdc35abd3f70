import { describe, expect, it } from '@jest/globals';
import type { Artifact, StreamResponse } from '../../protocol/a2a.js';
import { textPart } from '../../protocol/build.js';
import { sizeOf } from '../../common/long-work.js';
import { artifact, snapshot, statusOf } from './fake-events.js';
import { FakeTask } from './fake-task.js';
import { inSteps } from './large-task.js';

const MIB = 1024 * 1024;
const large = (id: string, ...sizes: number[]): Artifact => ({
  ...artifact(id),
  name: `the file ${id}`,
  metadata: { of: id },
  parts: sizes.map((size, i) => textPart(String(i).repeat(size * MIB))),
});

function given(...events: readonly StreamResponse[]): FakeTask {
  const task = new FakeTask().claim();
  for (const event of events) task.agent(event);
  return task;
}

describe('a large answer in steps', () => {
  const answer = snapshot({
    status: statusOf('completed', 'done'),
    artifacts: [large('a', 3, 2, 1, 9, 1), artifact('small', 'x'), large('b', 5)],
  });

  it('makes the task that it would make whole', () => {
    const [whole, stepped] = [given(answer), given(...inSteps(answer))];
    expect(stepped.state).toBe('COMPLETED');
    expect(JSON.stringify(stepped.task.artifacts) === JSON.stringify(whole.task.artifacts)).toBe(
      true,
    );
    expect(stepped.task.status?.message?.parts).toEqual(whole.task.status?.message?.parts);
    expect(stepped.delegation().downstreamTaskId).toBe(whole.delegation().downstreamTaskId);
  });

  it('has no event with more than 4 MiB, but for one part that is larger', () => {
    const { log } = given(...inSteps(answer));
    const sizes = log.map(({ payload }) => Math.round(sizeOf(payload) / MIB));
    expect(sizes.filter((size) => size > 0)).toEqual([3, 3, 9, 1, 5]);
    const last = log.flatMap(({ payload }) =>
      payload.$case === 'artifactUpdate' ? [payload.value.lastChunk] : [],
    );
    expect(last).toEqual([false, false, false, true, true, true]);
  });

  it('leaves a small answer and any other event as they are', () => {
    const small = snapshot({ status: statusOf('completed'), artifacts: [large('a', 1, 1)] });
    expect(inSteps(small)).toEqual([small]);
    const update = inSteps(answer)[0]!;
    expect(inSteps(update)).toEqual([update]);
  });
});
