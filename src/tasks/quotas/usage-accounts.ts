import type { UsageOwner } from '../store/usage.js';

/** What is known of the usage of one principal in one organization, or of a whole organization. */
export interface UsageAccount {
  readonly owner: UsageOwner;
  openTasks: number;
  storedBytes: number;
  /** The day that `begun` counts the tasks of, in days since 1970 (UTC). */
  day: number;
  begun: number;
  /** Tasks that are about to begin. */
  reserved: number;
  /** Raised with every change. */
  version: number;
}

interface OrganizationAccounts {
  readonly account: UsageAccount;
  readonly principals: Map<string, UsageAccount>;
}

/** The accounts of all owners, found by whatever is asked for. */
export class UsageAccounts {
  private readonly organizations = new Map<string, OrganizationAccounts>();
  /** The organizations that a principal has an account in; almost always one. */
  private readonly organizationsOf = new Map<string, Set<string>>();
  private count = 0;

  /** How many principals have an account, in each of their organizations. */
  get principalCount(): number {
    return this.count;
  }

  /** The account of the principal and that of its organization, made where there is none. */
  of({ organization, principalId }: UsageOwner): readonly [UsageAccount, UsageAccount] {
    let all = this.organizations.get(organization);
    if (all === undefined) {
      const account = anAccount({ organization, principalId: '' });
      this.organizations.set(organization, (all = { account, principals: new Map() }));
    }
    let own = all.principals.get(principalId);
    if (own === undefined) {
      all.principals.set(principalId, (own = anAccount({ organization, principalId })));
      this.count += 1;
      const organizations = this.organizationsOf.get(principalId);
      if (organizations !== undefined) organizations.add(organization);
      else this.organizationsOf.set(principalId, new Set([organization]));
    }
    return [own, all.account];
  }

  principal({ organization, principalId }: UsageOwner): UsageAccount | undefined {
    return this.organizations.get(organization)?.principals.get(principalId);
  }

  organization(name: string): UsageAccount | undefined {
    return this.organizations.get(name)?.account;
  }

  *allOrganizations(): Generator<UsageAccount> {
    for (const { account } of this.organizations.values()) yield account;
  }

  *allPrincipals(): Generator<UsageAccount> {
    for (const { principals } of this.organizations.values()) yield* principals.values();
  }

  /** In order. */
  organizationNames(): string[] {
    return [...this.organizations.keys()].sort();
  }

  /** The ids of the principals of an organization, in order. */
  principalsOf(organization: string): string[] {
    return [...(this.organizations.get(organization)?.principals.keys() ?? [])].sort();
  }

  /** The organization of a principal; one of them where there are several. */
  organizationOf(principalId: string): string | undefined {
    const [first] = this.organizationsOf.get(principalId) ?? [];
    return first;
  }

  /** Forgets a principal, and its organization with the last one, unless tasks of it are about to begin. */
  forget({ organization, principalId }: UsageOwner): void {
    const all = this.organizations.get(organization);
    const own = all?.principals.get(principalId);
    if (all === undefined || own === undefined || own.reserved > 0) return;
    all.principals.delete(principalId);
    this.count -= 1;
    const organizations = this.organizationsOf.get(principalId);
    organizations?.delete(organization);
    if (organizations?.size === 0) this.organizationsOf.delete(principalId);
    if (all.principals.size === 0) this.organizations.delete(organization);
  }
}

function anAccount(owner: UsageOwner): UsageAccount {
  return { owner, openTasks: 0, storedBytes: 0, day: 0, begun: 0, reserved: 0, version: 0 };
}
