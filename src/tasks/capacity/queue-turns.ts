/**
 * Each further delegation of a principal for one agent counts as if it had come so much later than the one
 * before, so that a principal with many leaves the next turns to others.
 */
const STEP_MS = 60_000;
/** A delegation that got a turn and is not queued by then was never committed. */
const LOST_MS = 60_000;
/** How often lost turns are pruned, in turns given. */
const PRUNE_EVERY = 10_000;

/** A clock that goes back by more was set. */
const SET_BACK_MS = 60_000;

interface Last {
  turn: number;
  /** Turns up to this one were stored before the clock was set back: new ones do not wait for it to catch up. */
  before: number;
  /** When it was given. */
  at: number;
  waiting: number;
}

/** The turns in the queues of agents: of one principal in the order they came, and the principals in turn. */
export class QueueTurns {
  private readonly last = new Map<string, Last>();
  private given = 0;
  private latest = -Infinity;

  /** The turn of one more delegation that enters the queue of this agent at `now`. */
  next(agentId: string, principalId: string, now: number): number {
    this.prune(now);
    this.follow(now);
    const key = keyOf(agentId, principalId);
    const last = this.last.get(key);
    if (last === undefined || (last.waiting === 0 && isLost(last.at, now))) {
      this.last.set(key, { turn: now, before: 0, at: now, waiting: 0 });
      return now;
    }
    last.turn = Math.max(now, last.turn + STEP_MS);
    last.at = now;
    return last.turn;
  }

  /** A delegation with this turn (where it is known) is queued now. */
  entered(agentId: string, principalId: string, turn?: number): void {
    const key = keyOf(agentId, principalId);
    const last = this.last.get(key) ?? { turn: turn ?? 0, before: 0, at: 0, waiting: 0 };
    last.waiting += 1;
    if (turn !== undefined) last.turn = Math.max(last.turn, turn);
    this.last.set(key, last);
  }

  /** A delegation has left the queue; a principal without any begins again. */
  left(agentId: string, principalId: string): void {
    const key = keyOf(agentId, principalId);
    const last = this.last.get(key);
    if (last === undefined) return;
    last.waiting -= 1;
    if (last.waiting <= 0) this.last.delete(key);
  }

  /** What is queued of all principals, counted in the database; each of them continues after its last turn. */
  recount(
    counted: Iterable<{
      readonly agentId: string;
      readonly principalId: string;
      readonly count: number;
      readonly lastTurnAt: number;
    }>,
    now: number,
  ): void {
    this.follow(now);
    const waiting = new Set<string>();
    for (const { agentId, principalId, count, lastTurnAt } of counted) {
      const key = keyOf(agentId, principalId);
      waiting.add(key);
      const { turn, before, at } = this.last.get(key) ?? { turn: 0, before: 0, at: now };
      const last = lastTurnAt > before ? Math.max(turn, lastTurnAt) : turn;
      this.last.set(key, { turn: last, before, at, waiting: count });
    }
    for (const [key, last] of this.last) {
      if (waiting.has(key)) continue;
      // One that was given a turn a moment ago may not be committed yet.
      if (isLost(last.at, now)) this.last.delete(key);
      else last.waiting = 0;
    }
  }

  /** Turns go back with a clock that was set back, so that who has a queue is not behind all others for as long. */
  private follow(now: number): void {
    const backMs = this.latest - now;
    if (backMs > SET_BACK_MS) {
      for (const last of this.last.values()) {
        last.before = Math.max(last.before, last.turn);
        last.turn -= backMs;
      }
    } else if (backMs > 0) return;
    this.latest = now;
  }

  private prune(now: number): void {
    if (++this.given % PRUNE_EVERY !== 0) return;
    for (const [key, { waiting, at }] of this.last) {
      if (waiting === 0 && isLost(at, now)) this.last.delete(key);
    }
  }
}

/** Also when the clock was set back behind it. */
function isLost(givenAt: number, now: number): boolean {
  return Math.abs(now - givenAt) > LOST_MS;
}

function keyOf(agentId: string, principalId: string): string {
  return `${agentId} ${principalId}`;
}
