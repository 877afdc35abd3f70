import { BackgroundJob } from '../common/background-job.js';
import type { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import type { Log } from '../common/logger.js';
import type { Database, DiskSpace } from './database.js';

const LOOK_EVERY_MS = 2000;
const FAILURE = 'the free disk space of the database could not be read';
/** Of the least space, what must be free on the disk itself: every write needs some there first. */
const ON_DISK = 1 / 8;
/** When it makes sense to try again, in seconds. */
const RETRY_SECONDS = 30;

/**
 * Looks every two seconds at the space that the database has left. What would begin is refused while there
 * is little, so that what runs can end. Knows nothing where the database cannot tell (PostgreSQL).
 */
export class DiskWatch {
  private newest: DiskSpace | null = null;
  private low = false;
  private readonly looking: BackgroundJob;

  /** `minFree`: bytes; 0 for no limit. */
  constructor(
    private readonly database: Pick<Database, 'diskSpace'>,
    private readonly minFree: number,
    clock: Clock,
    private readonly log: Pick<Log, 'info' | 'warn' | 'error'>,
  ) {
    const rules = {
      name: 'disk space',
      failure: FAILURE,
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.looking = new BackgroundJob(rules, clock, log);
  }

  /** Resolves after the first look; looks on if there is something to see. */
  async start(): Promise<void> {
    await this.look();
    if (this.newest !== null) this.looking.start();
  }

  stop(): Promise<void> {
    return this.looking.stop();
  }

  /** There is little space left. */
  get isLow(): boolean {
    return this.low;
  }

  /** The space as of the last look; null where it is unknown. */
  get space(): DiskSpace | null {
    return this.newest;
  }

  /** Throws UNAVAILABLE while there is little space. */
  refuseWhenLow(): void {
    if (!this.low) return;
    throw new HubError(
      'UNAVAILABLE',
      'The disk of the hub is almost full: it takes no new tasks and messages until its operator has made space. Tasks that run go on, and can be read and canceled.',
      { metadata: { retryAfterSeconds: String(RETRY_SECONDS) } },
    );
  }

  /** Looks now. */
  async look(): Promise<void> {
    try {
      this.newest = await this.database.diskSpace();
    } catch (error) {
      this.log.error({ err: error }, FAILURE);
      return;
    }
    if (this.newest === null) return;
    const { free, reusable } = this.newest;
    const low = free + reusable < this.minFree || free < this.minFree * ON_DISK;
    if (low === this.low) return;
    this.low = low;
    const fields = { freeBytes: free, reusableBytes: reusable, minFreeBytes: this.minFree };
    if (low) this.log.error(fields, 'the disk is almost full: new tasks are refused');
    else this.log.info(fields, 'disk space is available again: new tasks are accepted');
  }
}
