import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { CallNote } from '../common/call-note.js';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { type AuditDetails, type AuditEntry, NO_CALLER } from './audit-entry.js';
import { actorOf, type AuditedCaller } from './audited-caller.js';
import { AuditLog } from './audit-log.js';
import { networkOf } from '../common/network-of.js';

/** The same refusals are counted for so long after the first. */
const COUNTED_MS = 60_000;
/** Different refusals of each action that are told apart meanwhile; more are counted together, whoever they are from. */
const MAX_APART = 100;

type RefusedAction = 'auth.sign-in' | 'auth.access' | 'limits.exceed';

/** A call that is over, as far as the audit log looks at it. */
export interface EndedCall {
  readonly note: CallNote;
  readonly caller: AuditedCaller | null;
  /** Method and pattern of the route, or the method of gRPC. */
  readonly to: { readonly method: string; readonly route?: string };
  /** Where it came from, as the server sees it: behind a proxy that is the proxy. */
  readonly address: string | undefined;
}

/** An entry of this log. */
type RefusedEntry = AuditEntry & { readonly action: RefusedAction };

interface Counted {
  /** What is the same of all of them. */
  readonly entry: RefusedEntry;
  readonly firstAt: Date;
  /** Those that no entry tells of yet. */
  count: number;
}

/**
 * Records the calls that were refused for who calls, or by a limit, on every binding. The first of its kind gets an entry
 * at once; those of the next minute one together, with their number, so that a flood of them fills no disk.
 */
@Injectable()
export class Refusals implements BeforeApplicationShutdown {
  private counted = new Map<string, Counted>();
  /** How many different ones of each action are counted. */
  private apart = new Map<RefusedAction, number>();
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
    const alike = alikeOf(entry);
    const found = this.counted.get(keyOf(alike));
    if (found !== undefined) found.count += 1;
    else if (this.isBelowLimit(action)) this.first(entry, alike);
    else this.others(alike);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    await this.writeCounts().catch((error: unknown) => this.failed(error));
  }

  /** Records what was counted since the first of each kind. Rejects when it cannot be; it is counted on then. */
  async writeCounts(): Promise<void> {
    const open = [...this.counted.values()].filter(({ count }) => count > 0);
    this.counted = new Map();
    this.apart = new Map();
    const written = await Promise.allSettled(open.map((each) => this.writeCount(each)));
    let failure: unknown;
    written.forEach((result, index) => {
      if (result.status === 'fulfilled') return;
      failure = result.reason;
      this.countOn(open[index]!);
    });
    if (failure !== undefined) throw failure as Error;
  }

  private async writeCount({ entry, firstAt, count }: Counted): Promise<void> {
    const details = { ...entry.details, count, firstAt: firstAt.toISOString() };
    await this.audit.record({ ...entry, requestId: null, details });
  }

  private first(entry: RefusedEntry, alike: RefusedEntry): void {
    const firstAt = this.clock.now();
    this.put({ entry: alike, firstAt, count: 0 });
    this.audit.record(entry).catch((error: unknown) => {
      this.countOn({ entry: alike, firstAt, count: 1 });
      this.failed(error);
    });
  }

  /** There are many different ones: only their number is told, by why they were refused. */
  private others(alike: RefusedEntry): void {
    const others = othersOf(alike);
    const found = this.counted.get(keyOf(others));
    if (found === undefined) this.first(others, others);
    else found.count += 1;
  }

  /** They could not be recorded, and others may have come meanwhile. */
  private countOn(each: Counted): void {
    const { count, entry } = each;
    const found = this.counted.get(keyOf(entry));
    if (found !== undefined) found.count += count;
    else if (this.isBelowLimit(entry.action)) this.put(each);
    else {
      const others = othersOf(entry);
      const known = this.counted.get(keyOf(others));
      if (known === undefined) this.put({ ...each, entry: others });
      else known.count += count;
    }
  }

  private isBelowLimit(action: RefusedAction): boolean {
    return (this.apart.get(action) ?? 0) < MAX_APART;
  }

  private put(counted: Counted): void {
    const { action } = counted.entry;
    this.counted.set(keyOf(counted.entry), counted);
    this.apart.set(action, (this.apart.get(action) ?? 0) + 1);
  }

  private failed(error: unknown): void {
    this.log.warn({ err: error }, 'a refused call could not be recorded');
  }
}

/** A request that says of itself what it may not, such as a forged certificate, is a failed sign-in, too. */
function actionOf(
  reason: CallNote['reason'],
  refusal: CallNote['refusal'],
): RefusedAction | undefined {
  if (reason === 'PERMISSION_DENIED') return 'auth.access';
  // Nothing was decided about the caller.
  if (reason === 'UNAVAILABLE') return undefined;
  if (reason === 'RATE_LIMITED' || reason === 'QUOTA_EXCEEDED') return 'limits.exceed';
  // An agent that a policy hides is unknown to the caller; only here it is told why.
  if (refusal?.cause === 'policy') return 'auth.access';
  return reason === 'UNAUTHENTICATED' || refusal?.cause !== undefined ? 'auth.sign-in' : undefined;
}

function entryOf(call: EndedCall, action: RefusedAction, reason: string): RefusedEntry {
  const { note, to, address } = call;
  const caller = call.caller ?? note.refusal?.caller ?? null;
  const details: AuditDetails = {
    reason,
    ...(note.refusal?.cause !== undefined && { cause: note.refusal.cause }),
    ...(note.refusal?.claimedIssuer !== undefined && {
      claimedIssuer: note.refusal.claimedIssuer,
    }),
    ...(note.refusal?.scope !== undefined && { scope: note.refusal.scope }),
    ...(note.refusal?.limit !== undefined && { limit: note.refusal.limit }),
    route: to.route === undefined ? to.method : `${to.method} ${to.route}`,
    ...(note.operation !== undefined && { operation: note.operation }),
    address: networkOf(address ?? ''),
  };
  const actor = caller === null ? NO_CALLER : actorOf(caller);
  return {
    action,
    outcome: 'refused',
    actor: { ...actor, issuer: actor.issuer ?? note.refusal?.issuer ?? null },
    resource: note.refusal?.agent === undefined ? null : { type: 'agents', id: note.refusal.agent },
    requestId: note.id,
    policy: note.refusal?.policy ?? null,
    details,
  };
}

/** What is the same of those that are counted together: of a limit whatever was asked, and from where. */
function alikeOf(entry: RefusedEntry): RefusedEntry {
  if (entry.action !== 'limits.exceed') return entry;
  const { reason, limit } = entry.details;
  return {
    ...entry,
    resource: null,
    details: { ...(reason && { reason }), ...(limit && { limit }) },
  };
}

function othersOf({
  action,
  outcome,
  details: { reason, cause, limit },
}: RefusedEntry): RefusedEntry {
  return {
    ...{ action, outcome, actor: NO_CALLER, resource: null, requestId: null, policy: null },
    details: {
      ...(reason !== undefined && { reason }),
      ...(cause !== undefined && { cause }),
      ...(limit !== undefined && { limit: { kind: limit.kind } }),
    },
  };
}

function keyOf({ action, actor, resource, policy, details }: AuditEntry): string {
  return JSON.stringify([action, actor, resource, policy, details]);
}
