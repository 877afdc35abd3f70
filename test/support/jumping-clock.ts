import { SystemClock } from '../../src/common/clock.js';

/** Its time is set by `offsetMs`, as that of a machine is; its waits take no notice. */
export class JumpingClock extends SystemClock {
  offsetMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}
