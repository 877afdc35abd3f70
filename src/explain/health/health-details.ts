import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { SharedReading } from '../../common/shared-reading.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { CalleeHealth } from './callee-health.js';
import { HEALTH_CHECKS, type HealthCheckName, type HealthFinding, wrong } from './health-check.js';
import { HubHealth } from './hub-health.js';
import { WorkHealth } from './work-health.js';

/** A check is given up after that, so that one that hangs hides no other. */
const LIMIT_MS = 6000;

export interface NamedFinding extends HealthFinding {
  readonly name: HealthCheckName;
}

/** Looks at everything at once; however many ask, once at a time. */
@Injectable()
export class HealthDetails {
  private readonly shared: SharedReading<readonly NamedFinding[]>;
  private running: Promise<readonly NamedFinding[]> | undefined;
  private next: Promise<readonly NamedFinding[]> | undefined;

  constructor(
    private readonly hub: HubHealth,
    private readonly work: WorkHealth,
    private readonly callees: CalleeHealth,
    private readonly log: Log,
    clock: Clock,
  ) {
    this.shared = new SharedReading(1, clock);
  }

  /** In the order of {@link HEALTH_CHECKS}, `maxAgeMs` old at most or under way; 0: looked at from now on. Never rejects. */
  findings(maxAgeMs: number): Promise<readonly NamedFinding[]> {
    return this.shared.get('', maxAgeMs, () => this.run());
  }

  /** Behind the look that is under way: that may have seen what has changed since. */
  private run(): Promise<readonly NamedFinding[]> {
    if (this.running === undefined) return this.begin();
    this.next ??= this.running.then(() => {
      this.next = undefined;
      return this.begin();
    });
    return this.next;
  }

  private begin(): Promise<readonly NamedFinding[]> {
    this.running = Promise.all(HEALTH_CHECKS.map((name) => this.finding(name))).finally(
      () => (this.running = undefined),
    );
    return this.running;
  }

  private async finding(name: HealthCheckName): Promise<NamedFinding> {
    try {
      const limit = AbortSignal.timeout(LIMIT_MS);
      return { name, ...(await unlessAborted(this.look(name), limit, tooLong)) };
    } catch (err) {
      this.log.warn({ err, check: name }, 'a health check failed');
      const summary = `It could not be looked at: ${(err as Error).message}`;
      return { name, ...wrong('failing', summary, 'The log of this process says more.') };
    }
  }

  private async look(name: HealthCheckName): Promise<HealthFinding> {
    const { hub, work, callees } = this;
    switch (name) {
      case 'database':
        return hub.database();
      case 'clock':
        return hub.clock();
      case 'disk':
        return hub.disk();
      case 'workers':
        return hub.workers();
      case 'tasks':
        return work.tasks();
      case 'egress':
        return callees.egress();
      case 'issuers':
        return callees.issuers();
      case 'agents':
        return callees.agents();
      case 'receivers':
        return callees.receivers();
    }
  }
}

function tooLong(): Error {
  return new Error(`it took longer than ${LIMIT_MS / 1000} s.`);
}
