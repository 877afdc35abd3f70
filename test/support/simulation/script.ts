import { TaskState } from '../../../src/protocol/a2a.js';
import { UNSTORABLE } from './life.js';
import type { Random } from '../fleet/random.js';

interface Chunk {
  readonly artifactId: string;
  readonly texts: readonly string[];
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** One thing an agent does with its task, so long after the one before. */
export type Act = { readonly afterMs: number } & (
  | { readonly state: TaskState; readonly says?: string }
  | Chunk
);

/** What an agent's scripts may hold. Chances are of a hundred messages. */
export interface ScriptLimits {
  readonly artifacts: number;
  readonly chunks: number;
  readonly pauseMs: number;
  readonly replies: number;
  readonly asks: number;
  readonly fails: number;
  /** Chunks all say `append`, the first of an artifact too. */
  readonly appendsFirst: boolean;
  /** A chunk that the hub's database refuses. */
  readonly unstorable: number;
}

/** What an agent does with a message; `again`: a further one of the same task. */
export function aScript(
  random: Random,
  limits: ScriptLimits,
  again: boolean,
): readonly Act[] | 'reply' {
  if (!again && random.percent(limits.replies)) return 'reply';
  const quick = random.percent(30);
  const pause = (): number => (quick || random.percent(30) ? 0 : random.between(1, limits.pauseMs));
  const acts: Act[] = [{ afterMs: pause(), state: TaskState.TASK_STATE_WORKING }];
  const prefix = again ? 'more' : 'result';
  const count = random.between(0, limits.artifacts);
  const waiting = Array.from({ length: count }, (_, index) =>
    chunksOf(random, limits, `${prefix}-${index}`),
  );
  while (waiting.length > 0) {
    // Artifacts may be given side by side.
    const from = random.percent(70) ? waiting[0]! : random.pick(waiting);
    acts.push({ afterMs: pause(), ...from.shift()! });
    if (from.length === 0) waiting.splice(waiting.indexOf(from), 1);
    if (random.percent(10)) {
      acts.push({
        afterMs: pause(),
        state: TaskState.TASK_STATE_WORKING,
        says: `at ${acts.length}`,
      });
    }
  }
  if (random.percent(limits.asks)) {
    return [
      ...acts,
      { afterMs: pause(), state: TaskState.TASK_STATE_INPUT_REQUIRED, says: 'Which?' },
    ];
  }
  const failed = random.percent(limits.fails);
  const state = failed
    ? random.pick([TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_REJECTED])
    : TaskState.TASK_STATE_COMPLETED;
  return [
    ...acts,
    { afterMs: pause(), state, ...(random.percent(30) && { says: 'That is all.' }) },
  ];
}

function chunksOf(
  random: Random,
  { chunks, appendsFirst, unstorable }: ScriptLimits,
  artifactId: string,
): Chunk[] {
  const total = random.percent(30) ? 1 : random.between(1, chunks);
  const closes = random.percent(60);
  const replaces = total > 1 && random.percent(10);
  return Array.from({ length: total }, (_, index) => {
    const isLast = index === total - 1;
    return {
      artifactId,
      texts: [`${artifactId}:${index}${random.percent(unstorable) ? UNSTORABLE : ''}`],
      append: (index > 0 || appendsFirst) && !(isLast && replaces),
      lastChunk: isLast && closes,
    };
  });
}
