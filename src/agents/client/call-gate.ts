import { endedCall } from '../binding/agent-call-error.js';

/** What waits at a gate, and how many are through it. */
interface Line {
  inside: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets so many calls of a kind to one agent be under way at once; the others wait in order. For calls
 * that no delegation's place stands for: an agent that lets them hang keeps only its own waiting.
 */
export class CallGate {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly most: number) {}

  /** Resolves when the call may begin, to what says that it is over. Rejects with `interrupted` when aborted before. */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    const line = this.lines.get(key) ?? { inside: 0, waiting: new Set() };
    this.lines.set(key, line);
    if (line.inside >= this.most) await turnOf(line, signal);
    else line.inside += 1;
    return () => this.leave(key, line);
  }

  private leave(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) return next();
    line.inside -= 1;
    if (line.inside === 0) this.lines.delete(key);
  }
}

/** Resolves when another one has left its place to this one. */
function turnOf({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => {
      waiting.delete(turn);
      reject(endedCall());
    };
    const turn = (): void => {
      waiting.delete(turn);
      signal.removeEventListener('abort', gone);
      resolve();
    };
    if (signal.aborted) return gone();
    waiting.add(turn);
    signal.addEventListener('abort', gone, { once: true });
  });
}
