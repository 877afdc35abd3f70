import type { AgentLoad } from '../../agents/index.js';
import { reservedOf, availableTo } from '../domain/fair-share.js';
import type { CancelQuota, ClaimQuota } from '../store/claimed-task.js';
import type { Delegation } from '../task.js';

/** The delegation a permit is for. */
export type PermitHolder = Pick<Delegation, 'agentId' | 'organization'>;

/** A delegation whose agent is only polled holds no connection, but some memory: so many of them count as one. */
const POLLED_FOR_ONE = 8;
/** For so many pairs of agent and organization it is known when they last held a permit. */
const MAX_KNOWN = 10_000;

/**
 * Limits how many delegations run at once: in total, per agent and per organization. One whose agent is only
 * polled counts in full for the agent, but hardly for the process.
 */
export class RunPermits implements ClaimQuota {
  /** More than one organization may send tasks. */
  several = false;
  private readonly byAgent = new Map<string, AgentPermits>();
  private readonly byOrganization = new Map<string, number>();
  /** By agent and organization, those that held a permit longest ago first. */
  private readonly lastHeld = new Map<string, number>();
  private count = 0;
  private working = 0;
  private polled = 0;

  constructor(
    private readonly max: number,
    private readonly load: Pick<AgentLoad, 'begun' | 'ended' | 'maxConcurrent'>,
    readonly cancels: CancelQuota,
  ) {}

  /** Available permits; negative when more are in use than there are. */
  get free(): number {
    return this.max - this.working - Math.floor(this.polled / POLLED_FOR_ONE);
  }

  get reserved(): number {
    return reservedOf(this.max, this.several);
  }

  reservedAt(agentId: string): number {
    return reservedOf(this.maxOf(agentId), this.several);
  }

  /** Permits in use, by agent. */
  get inUse(): ReadonlyMap<string, number> {
    return new Map([...this.byAgent].map(([id, { total }]) => [id, total]));
  }

  /** Permits in use, by organization. */
  get organizations(): ReadonlyMap<string, number> {
    return this.byOrganization;
  }

  heldAt(agentId: string, organization: string): number {
    return this.byAgent.get(agentId)?.byOrganization.get(organization) ?? 0;
  }

  lastHeldAt(agentId: string, organization: string): number {
    return this.lastHeld.get(keyOf(agentId, organization)) ?? 0;
  }

  maxOf(agentId: string): number {
    return this.load.maxConcurrent(agentId);
  }

  /** Whether one more of this may run now. */
  hasCapacity({ agentId, organization }: PermitHolder): boolean {
    const held = this.byOrganization.get(organization) ?? 0;
    if (availableTo({ free: this.free, reserved: this.reserved, held }) <= 0) return false;
    const share = {
      free: this.freeAt(agentId),
      reserved: this.reservedAt(agentId),
      held: this.heldAt(agentId, organization),
    };
    return availableTo(share) > 0;
  }

  /** A delegation may be waiting for a permit, of the process or at the agent, although some are free. */
  isContended(agentId: string): boolean {
    return this.free <= this.reserved || this.freeAt(agentId) <= this.reservedAt(agentId);
  }

  acquire({ agentId, organization }: PermitHolder): void {
    const at = this.byAgent.get(agentId) ?? { total: 0, byOrganization: new Map() };
    this.byAgent.set(agentId, at);
    at.total += 1;
    add(at.byOrganization, organization, 1);
    this.working += 1;
    add(this.byOrganization, organization, 1);
    this.noteHeld(agentId, organization);
    this.load.begun(agentId);
  }

  /** `polled`: its agent was only polled in the end. */
  release({ agentId, organization }: PermitHolder, polled = false): void {
    const at = this.byAgent.get(agentId);
    if (at) {
      at.total -= 1;
      add(at.byOrganization, organization, -1);
      if (at.total <= 0) this.byAgent.delete(agentId);
    }
    if (polled) this.polled -= 1;
    else this.leaveProcess(organization);
    this.noteHeld(agentId, organization);
    this.load.ended(agentId);
  }

  /** Its agent is only polled from now on; or (`false`) no longer so. */
  setPolled({ organization }: PermitHolder, polls: boolean): void {
    this.polled += polls ? 1 : -1;
    if (polls) return this.leaveProcess(organization);
    this.working += 1;
    add(this.byOrganization, organization, 1);
  }

  private noteHeld(agentId: string, organization: string): void {
    const key = keyOf(agentId, organization);
    this.lastHeld.delete(key);
    this.lastHeld.set(key, ++this.count);
    if (this.lastHeld.size <= MAX_KNOWN) return;
    for (const [oldest] of this.lastHeld) return void this.lastHeld.delete(oldest);
  }

  private leaveProcess(organization: string): void {
    this.working -= 1;
    add(this.byOrganization, organization, -1);
  }

  private freeAt(agentId: string): number {
    return this.maxOf(agentId) - (this.byAgent.get(agentId)?.total ?? 0);
  }
}

interface AgentPermits {
  total: number;
  readonly byOrganization: Map<string, number>;
}

/** What a run does, as far as its permit depends on it. */
export interface RunActivity {
  /** It waits for its client. */
  readonly waits: boolean;
  /** Its agent is only polled. */
  readonly polls: boolean;
  readonly hasEnded: boolean;
}

/**
 * The permit of one run, from when it first works until it is done. While it waits for its client it holds
 * none, and while its agent is only polled a small one; a run that ends without a permit acquires none to
 * cancel with its agent.
 */
export class RunPermit {
  private isPolled = false;
  private isDone = false;

  constructor(
    private readonly permits: RunPermits,
    private readonly holder: PermitHolder,
    /** Around its release: whether another delegation may be waiting for it, and then that it is free. */
    private readonly hooks: { readonly isContended: () => boolean; readonly released: () => void },
    /** It has been acquired for this run already. */
    private isHeld = false,
  ) {}

  adapt({ waits, polls, hasEnded }: RunActivity): void {
    if (this.isDone) return;
    if (waits) return this.release();
    if (!hasEnded) this.acquire();
    this.setPolled(polls);
  }

  done(): void {
    this.isDone = true;
    this.release();
  }

  private acquire(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    this.isPolled = false;
    this.permits.acquire(this.holder);
  }

  private setPolled(polls: boolean): void {
    if (!this.isHeld || this.isPolled === polls) return;
    this.isPolled = polls;
    if (polls) this.freeUp(() => this.permits.setPolled(this.holder, true));
    else this.permits.setPolled(this.holder, false);
  }

  private release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.freeUp(() => this.permits.release(this.holder, this.isPolled));
  }

  private freeUp(free: () => void): void {
    const isContended = this.hooks.isContended();
    free();
    if (isContended) this.hooks.released();
  }
}

function keyOf(agentId: string, organization: string): string {
  return `${agentId} ${organization}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
