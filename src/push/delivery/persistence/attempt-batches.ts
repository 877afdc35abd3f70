import { CommitUnknown } from '../../../database/commit-unknown.js';
import type { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { AttemptOutcome } from './record-delivered.js';
import type { Recorded } from './record-outcomes.js';

/** Attempts that SQLite records together at most. */
const MOST = 64;

interface Waiting {
  readonly outcome: AttemptOutcome;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records how attempts ended: on SQLite all that there are when the database takes the first of them, with few statements. On
 * PostgreSQL each is a transaction of its own, so that none waits for a row that another one has locked.
 */
export class AttemptBatches {
  private waiting: Waiting[] = [];
  private readonly most: number;

  constructor(
    private readonly database: Database,
    /** Writes what follows from each, in their order. */
    private readonly recordAll: (tx: Tx, outcomes: readonly AttemptOutcome[]) => Work<Recorded[]>,
  ) {
    this.most = database.dialect === 'sqlite' ? MOST : 1;
  }

  record(outcome: AttemptOutcome): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      const isFirst = this.waiting.length % this.most === 0;
      this.waiting.push({ outcome, resolve, reject });
      if (isFirst) void this.writeNext();
    });
  }

  /** Records those that wait longest; what one of them cannot be recorded for is no matter of the others. */
  private async writeNext(): Promise<void> {
    let taken: readonly Waiting[] | undefined;
    try {
      const recorded = await this.database.write((tx) => {
        taken ??= this.waiting.splice(0, this.most);
        return this.recordAll(
          tx,
          taken.map(({ outcome }) => outcome),
        );
      });
      for (const [i, { resolve }] of (taken ?? []).entries()) resolve(recorded[i]!);
    } catch (error) {
      taken ??= this.waiting.splice(0, this.most);
      const isFinal = taken.length === 1 || error instanceof CommitUnknown;
      for (const each of taken) {
        if (isFinal) each.reject(error);
        else void this.writeAlone(each);
      }
    }
  }

  private async writeAlone({ outcome, resolve, reject }: Waiting): Promise<void> {
    try {
      const [recorded] = await this.database.write((tx) => this.recordAll(tx, [outcome]));
      resolve(recorded!);
    } catch (error) {
      reject(error);
    }
  }
}
