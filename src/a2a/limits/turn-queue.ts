import type { Principal } from '../../auth/index.js';

/** Who waits in the queue, and for how much. */
export interface Waiter {
  readonly caller: Principal;
  readonly weight: number;
  readonly go: () => void;
}

/**
 * Those who wait for a turn. Organizations take turns, and in each its principals: how many requests one of
 * them has waiting does not count.
 */
export class TurnQueue {
  private readonly organizations = new Map<string, Map<string, Set<Waiter>>>();
  private waiting = 0;

  get length(): number {
    return this.waiting;
  }

  /** How many requests of this principal wait. */
  lengthOf({ id, organization }: Principal): number {
    return this.organizations.get(organization)?.get(id)?.size ?? 0;
  }

  /** Whether somebody else than this principal waits. */
  hasOthersThan(caller: Principal): boolean {
    return this.waiting > this.lengthOf(caller);
  }

  add(waiter: Waiter): void {
    const { id, organization } = waiter.caller;
    const principals = this.organizations.get(organization) ?? new Map<string, Set<Waiter>>();
    const waiters = principals.get(id) ?? new Set();
    waiters.add(waiter);
    principals.set(id, waiters);
    this.organizations.set(organization, principals);
    this.waiting += 1;
  }

  /** Takes one out who does not want to wait any longer. */
  remove(waiter: Waiter): void {
    const { id, organization } = waiter.caller;
    const principals = this.organizations.get(organization);
    const waiters = principals?.get(id);
    if (!principals || !waiters?.delete(waiter)) return;
    this.waiting -= 1;
    if (waiters.size === 0) principals.delete(id);
    if (principals.size === 0) this.organizations.delete(organization);
  }

  /** Who is next; stays in the queue. */
  first(): Waiter | undefined {
    const [principals] = this.organizations.values();
    const [waiters] = principals?.values() ?? [];
    const [waiter] = waiters ?? [];
    return waiter;
  }

  /** Takes out who is next; its principal and its organization go to the end of their queues. */
  shift(): Waiter | undefined {
    const waiter = this.first();
    if (waiter === undefined) return undefined;
    this.remove(waiter);
    const { id, organization } = waiter.caller;
    const principals = this.organizations.get(organization);
    if (principals === undefined) return waiter;
    this.organizations.delete(organization);
    this.organizations.set(organization, principals);
    const waiters = principals.get(id);
    if (waiters !== undefined) {
      principals.delete(id);
      principals.set(id, waiters);
    }
    return waiter;
  }
}
