import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AnswerBudget } from './answer-budget.js';
import { RequestBodyBudget } from './request-body-budget.js';
import type { ByteReservation } from './byte-reservations.js';
import { OpenCalls } from './open-calls.js';
import { Turns } from './turns.js';
import { Uploads } from './uploads.js';

/** A call that is not answered after this only waits for another party: its message has been taken in. */
const TAKEN_MS = 1000;

/** A call that is let in. */
export interface Admitted {
  /** Its message has been taken in: what it is answered with is under way. */
  readonly taken: () => void;
  /** It has been answered, or its stream has ended. */
  readonly ended: () => void;
}

/** The message of a call, which has come. */
export interface Message {
  readonly bytes: number;
  readonly reservation: ByteReservation;
}

/** What admitted callers may take of a process, over every binding: bytes, turns, open calls, large answers. */
@Injectable()
export class RequestCapacity implements OnApplicationBootstrap, OnModuleDestroy {
  /** What says that a message has been taken in, and since when it is worked on; the oldest first. */
  private readonly begun = new Map<() => void, number>();
  private readonly job: BackgroundJob;

  constructor(
    private readonly budget: RequestBodyBudget,
    private readonly turns: Turns,
    private readonly calls: OpenCalls,
    readonly uploads: Uploads,
    readonly answers: AnswerBudget,
    clock: Clock,
    log: Log,
  ) {
    const rules = {
      name: 'messages taken in',
      failure: 'accepted messages could not be read',
      everyMs: TAKEN_MS,
      run: () => this.takeOld(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** See {@link RequestBodyBudget.reserve}. */
  reserve(caller: Principal, bytes: number): Promise<ByteReservation> {
    return this.budget.reserve(caller, bytes);
  }

  /** Counts a call that is open as long as its answer; see {@link OpenCalls.open}. */
  openCall(caller: Principal): () => void {
    return this.calls.open(caller);
  }

  /**
   * A call whose message has come: counts it as open and waits for its turn. After a second or two its
   * message counts as taken in. The room of a call that is not let in is left to who asks.
   */
  async admit(
    caller: Principal,
    { bytes, reservation }: Message,
    signal: AbortSignal,
  ): Promise<Admitted> {
    const closed = this.calls.open(caller);
    try {
      const endTurn = await this.turns.begin(caller, bytes, signal);
      const taken = (): void => {
        this.begun.delete(taken);
        endTurn();
        reservation.taken();
      };
      this.begun.set(taken, performance.now());
      return {
        taken,
        ended: () => {
          taken();
          reservation.free();
          closed();
        },
      };
    } catch (error) {
      closed();
      throw error;
    }
  }

  private takeOld(): void {
    const limit = performance.now() - TAKEN_MS;
    for (const [taken, begun] of this.begun) {
      if (begun > limit) break;
      taken();
    }
  }
}
