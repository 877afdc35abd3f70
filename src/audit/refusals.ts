import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { CallNote } from '../common/call-note.js';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { type AuditDetails, type AuditEntry, NO_CALLER } from './audit-entry.js';
import { actorOf, type AuditedCaller } from './audited-caller.js';
import { AuditLog } from './audit-log.js';
import { networkOf } from './domain/network-of.js';

/** The same refusals are counted for so long after the first. */
const COUNTED_MS = 60_000;
/** Different refusals that are told apart meanwhile; more are counted together, whoever they are from. */
const MAX_APART = 100;

/** A call that is over, as far as the audit log looks at it. */
export interface EndedCall {
  readonly note: CallNote;
  readonly caller: AuditedCaller | null;
  /** Method and pattern of the route, or the method of gRPC. */
  readonly to: { readonly method: string; readonly route?: string };
  /** Where it came from, as the server sees it: behind a proxy that is the proxy. */
  readonly address: string | undefined;
}

interface Counted {
  readonly entry: AuditEntry;
  readonly firstAt: Date;
  /** Those that no entry tells of yet. */
  count: number;
}

/**
 * Records the calls that were refused for who calls, on every binding. The first of its kind gets an entry at once;
 * those of the next minute one together, with their number, so that a flood of them fills no disk.
 */
@Injectable()
export class Refusals implements BeforeApplicationShutdown {
  private counted = new Map<string, Counted>();
  private readonly job: BackgroundJob;

  constructor(
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'audit of refusals',
      failure: 'refused calls could not be recorded; they are counted on',
      everyMs: COUNTED_MS,
      run: () => this.writeCounts(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  /** To be told of every call that has ended. Returns at once, and never throws. */
  ended(call: EndedCall): void {
    const { reason, refusal } = call.note;
    const action = actionOf(reason, refusal);
    if (reason === undefined || action === undefined) return;
    this.job.start();
    const entry = entryOf(call, action, reason);
    const known = this.counted.get(keyOf(entry));
    if (known !== undefined) known.count += 1;
    else if (this.counted.size < MAX_APART) this.first(entry);
    else this.others(entry);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    await this.writeCounts().catch((error: unknown) => this.failed(error));
  }

  /** Records what was counted since the first of each kind. Rejects when it cannot be; it is counted on then. */
  async writeCounts(): Promise<void> {
    const counted = this.counted;
    this.counted = new Map();
    const open = [...counted].filter(([, { count }]) => count > 0);
    const written = await Promise.allSettled(open.map(([, each]) => this.writeCount(each)));
    let failure: unknown;
    written.forEach((result, index) => {
      if (result.status === 'fulfilled') return;
      failure = result.reason;
      const [key, each] = open[index]!;
      const newer = this.counted.get(key);
      if (newer === undefined) this.counted.set(key, each);
      else newer.count += each.count;
    });
    if (failure !== undefined) throw failure as Error;
  }

  private async writeCount({ entry, firstAt, count }: Counted): Promise<void> {
    const details = { ...entry.details, count, firstAt: firstAt.toISOString() };
    await this.audit.record({ ...entry, requestId: null, details });
  }

  private first(entry: AuditEntry): void {
    const counted: Counted = { entry, firstAt: this.clock.now(), count: 0 };
    this.counted.set(keyOf(entry), counted);
    this.audit.record(entry).catch((error: unknown) => {
      counted.count += 1;
      this.failed(error);
    });
  }

  /** There are many different ones: only their number is told, by why they were refused. */
  private others({ action, outcome, details: { reason, cause } }: AuditEntry): void {
    const noCaller = { principal: null, organization: null, onBehalfOf: null, issuer: null };
    const entry: AuditEntry = {
      ...{ action, outcome, resource: null, requestId: null, policy: null },
      actor: { ...noCaller, credential: null },
      details: { ...(reason !== undefined && { reason }), ...(cause !== undefined && { cause }) },
    };
    const known = this.counted.get(keyOf(entry));
    if (known === undefined) this.first(entry);
    else known.count += 1;
  }

  private failed(error: unknown): void {
    this.log.warn({ err: error }, 'a refused call could not be recorded');
  }
}

/** A request that says of itself what it may not, such as a forged certificate, is a failed sign-in, too. */
function actionOf(reason: CallNote['reason'], refusal: CallNote['refusal']): string | undefined {
  if (reason === 'PERMISSION_DENIED') return 'auth.access';
  // An agent that a policy hides is unknown to the caller; only here it is told why.
  if (refusal?.cause === 'policy') return 'auth.access';
  return reason === 'UNAUTHENTICATED' || refusal?.cause !== undefined ? 'auth.sign-in' : undefined;
}

function entryOf(call: EndedCall, action: string, reason: string): AuditEntry {
  const { note, caller, to, address } = call;
  const details: AuditDetails = {
    reason,
    ...(note.refusal?.cause !== undefined && { cause: note.refusal.cause }),
    ...(note.refusal?.scope !== undefined && { scope: note.refusal.scope }),
    route: to.route === undefined ? to.method : `${to.method} ${to.route}`,
    ...(note.operation !== undefined && { operation: note.operation }),
    address: networkOf(address ?? ''),
  };
  const actor = caller === null ? NO_CALLER : actorOf(caller);
  return {
    action,
    outcome: 'refused',
    actor: { ...actor, issuer: actor.issuer ?? note.refusal?.issuer ?? null },
    resource: null,
    requestId: note.id,
    policy: note.refusal?.policy ?? null,
    details,
  };
}

function keyOf({ action, actor, policy, details }: AuditEntry): string {
  return JSON.stringify([action, actor.principal, actor.credential, actor.issuer, policy, details]);
}
