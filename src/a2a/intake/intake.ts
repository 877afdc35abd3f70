import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { BodyBudget, type BodyRoom } from './body-budget.js';
import { OpenCalls } from './open-calls.js';
import { Turns } from './turns.js';
import { Uploads } from './uploads.js';

/** A call that is let in. */
export interface Admitted {
  /** Its message has been taken in: what it is answered with is under way. */
  taken(): void;
  /** It has been answered, or its stream has ended. */
  ended(): void;
}

/** What callers who were let in may take of a process, at every door: bytes, turns, open calls. */
@Injectable()
export class Intake {
  constructor(
    private readonly budget: BodyBudget,
    private readonly turns: Turns,
    private readonly calls: OpenCalls,
    readonly uploads: Uploads,
  ) {}

  /** See {@link BodyBudget.room}. */
  room(caller: Principal, bytes: number): Promise<BodyRoom> {
    return this.budget.room(caller, bytes);
  }

  /** A call whose message has come: counts it as open and waits for its turn. */
  async admit(caller: Principal, bytes: number, signal: AbortSignal): Promise<Admitted> {
    const closed = this.calls.open(caller);
    try {
      const endTurn = await this.turns.begin(caller, bytes, signal);
      return {
        taken: endTurn,
        ended: () => {
          endTurn();
          closed();
        },
      };
    } catch (error) {
      closed();
      throw error;
    }
  }
}
