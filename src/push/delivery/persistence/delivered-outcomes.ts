import { CommitUnknown } from '../../../database/commit-unknown.js';
import type { Database } from '../../../database/database.js';
import type { StepResult } from '../delivery-stream-store.js';
import { type DeliveredOutcome, recordDelivered } from './record-delivered.js';

/** Outcomes that SQLite records together at most. */
const MOST = 64;

interface Waiting {
  readonly outcome: DeliveredOutcome;
  readonly resolve: (step: StepResult | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records what was delivered: on SQLite all that there is when the database takes the first of it, with few statements. On
 * PostgreSQL each is a transaction of its own, so that none waits for a row that another one has locked.
 */
export class DeliveredOutcomes {
  private waiting: Waiting[] = [];
  private readonly most: number;

  constructor(private readonly database: Database) {
    this.most = database.dialect === 'sqlite' ? MOST : 1;
  }

  /** What follows for its stream; undefined, and nothing is written, when more than its position changes. */
  record(outcome: DeliveredOutcome): Promise<StepResult | undefined> {
    return new Promise((resolve, reject) => {
      const isFirst = this.waiting.length % this.most === 0;
      this.waiting.push({ outcome, resolve, reject });
      if (isFirst) void this.writeNext();
    });
  }

  /** Records the longest waiting; what one of them cannot be recorded for is no matter of the others. */
  private async writeNext(): Promise<void> {
    let taken: readonly Waiting[] | undefined;
    try {
      const steps = await this.database.write((tx) => {
        taken ??= this.waiting.splice(0, this.most);
        return recordDelivered(tx, outcomesOf(taken));
      });
      for (const [i, { resolve }] of (taken ?? []).entries()) resolve(steps[i]);
    } catch (error) {
      taken ??= this.waiting.splice(0, this.most);
      const isAlone = taken.length === 1 || error instanceof CommitUnknown;
      for (const each of taken) {
        if (isAlone) each.reject(error);
        else void this.writeAlone(each);
      }
    }
  }

  private async writeAlone({ outcome, resolve, reject }: Waiting): Promise<void> {
    try {
      const [step] = await this.database.write((tx) => recordDelivered(tx, [outcome]));
      resolve(step);
    } catch (error) {
      reject(error);
    }
  }
}

function outcomesOf(waiting: readonly Waiting[]): DeliveredOutcome[] {
  return waiting.map(({ outcome }) => outcome);
}
