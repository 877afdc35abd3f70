import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { type Limit, LimitRegistry } from '../../limits/index.js';
import { DiskWatch } from '../../database/disk-watch.js';

/** The limits of one organization or one principal; Infinity for none. */
export interface Limits {
  readonly openTasks: number;
  readonly tasksPerDay: number;
  /** Bytes. */
  readonly storedBytes: number;
}

/** Limits as they are configured: 0 for none. */
export interface QuotaSettings {
  readonly organization: Limits & {
    /** Per cent of the room of the database. */
    readonly diskShare: number;
  };
  readonly principal: Limits;
  readonly overrides: readonly (Partial<Limits> & {
    readonly organization?: string;
    readonly principal?: string;
  })[];
}

/** The limits of each organization and principal. */
@Injectable()
export class QuotaLimits {
  private readonly settings: QuotaSettings;
  private readonly organizations = new Map<string, Partial<Limits>>();
  private readonly principals = new Map<string, Partial<Limits>>();

  constructor(
    @Inject(AppConfig) { quotas }: { readonly quotas: QuotaSettings },
    @Inject(DiskWatch) private readonly disk: Pick<DiskWatch, 'space'>,
    @Inject(LimitRegistry)
    private readonly limits: Pick<LimitRegistry, 'ofOrganization' | 'ofPrincipal'>,
  ) {
    this.settings = quotas;
    for (const { organization, principal, ...limits } of quotas.overrides) {
      if (organization !== undefined) this.organizations.set(organization, limits);
      if (principal !== undefined) this.principals.set(principal, limits);
    }
  }

  ofPrincipal(id: string): Limits {
    return merged(this.settings.principal, this.ownOfPrincipal(id));
  }

  /** What is set for this principal alone: by an override or, before that, by a limit. */
  ownOfPrincipal(id: string): Partial<Limits> | undefined {
    return over(this.principals.get(id), this.limits.ofPrincipal(id));
  }

  /** The same of an organization. */
  ownOfOrganization(name: string): Partial<Limits> | undefined {
    return over(this.organizations.get(name), this.limits.ofOrganization(name));
  }

  /** An override of storedBytes replaces the share of the disk too: that is a default. */
  ofOrganization(name: string): Limits {
    const { diskShare, ...limits } = this.settings.organization;
    const override = this.ownOfOrganization(name);
    const merge = merged(limits, override);
    const { space } = this.disk;
    if (diskShare === 0 || space === null || override?.storedBytes !== undefined) return merge;
    const bytes = space.free + space.reusable + space.used;
    return {
      ...merge,
      storedBytes: Math.min(merge.storedBytes, Math.floor((bytes * diskShare) / 100)),
    };
  }
}

function merged(limits: Limits, override: Partial<Limits> = {}): Limits {
  const { openTasks, tasksPerDay, storedBytes } = { ...limits, ...override };
  return {
    openTasks: orNone(openTasks),
    tasksPerDay: orNone(tasksPerDay),
    storedBytes: orNone(storedBytes),
  };
}

function over(
  override: Partial<Limits> | undefined,
  limit: Limit | undefined,
): Partial<Limits> | undefined {
  if (limit === undefined) return override;
  const { openTasks, tasksPerDay, storedBytes } = limit;
  return {
    ...override,
    ...(openTasks !== null && { openTasks }),
    ...(tasksPerDay !== null && { tasksPerDay }),
    ...(storedBytes !== null && { storedBytes }),
  };
}

function orNone(limit: number): number {
  return limit === 0 ? Infinity : limit;
}
