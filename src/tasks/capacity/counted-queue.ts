import type { AgentQueue, QueueAsker } from '../../agents/index.js';

/** The delegations queued for one agent, counted by organization and principal. */
export class CountedQueue implements AgentQueue {
  private readonly organizations = new Map<string, Map<string, number>>();
  private readonly totals = new Map<string, number>();
  total = 0;

  /** So many more, or less; never fewer than none. */
  add({ organization, id }: QueueAsker, by: number): void {
    const principals = this.organizations.get(organization) ?? new Map<string, number>();
    const before = principals.get(id) ?? 0;
    const after = Math.max(0, before + by);
    if (after > 0) principals.set(id, after);
    else principals.delete(id);
    if (principals.size > 0) this.organizations.set(organization, principals);
    else this.organizations.delete(organization);
    const total = (this.totals.get(organization) ?? 0) + after - before;
    if (total > 0) this.totals.set(organization, total);
    else this.totals.delete(organization);
    this.total += after - before;
  }

  /** How many of each organization, or of one. */
  byOrganization(only: string | null): { readonly organization: string; readonly count: number }[] {
    if (only === null) {
      return [...this.totals].map(([organization, count]) => ({ organization, count }));
    }
    const count = this.totals.get(only);
    return count === undefined ? [] : [{ organization: only, count }];
  }

  shareOf({ organization, id }: QueueAsker): ReturnType<AgentQueue['shareOf']> {
    const principals = this.organizations.get(organization);
    const ofPrincipal = principals?.get(id) ?? 0;
    return {
      total: this.total,
      organizations: this.organizations.size + (principals ? 0 : 1),
      ofOrganization: this.totals.get(organization) ?? 0,
      principals: (principals?.size ?? 0) + (ofPrincipal > 0 ? 0 : 1),
      ofPrincipal,
    };
  }
}
