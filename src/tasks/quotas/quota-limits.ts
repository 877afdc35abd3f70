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
}

/** The limits of each organization and principal. */
@Injectable()
export class QuotaLimits {
  private readonly settings: QuotaSettings;

  constructor(
    @Inject(AppConfig) { quotas }: { readonly quotas: QuotaSettings },
    @Inject(DiskWatch) private readonly disk: Pick<DiskWatch, 'space'>,
    @Inject(LimitRegistry)
    private readonly limits: Pick<LimitRegistry, 'ofOrganization' | 'ofPrincipal'>,
  ) {
    this.settings = quotas;
  }

  ofPrincipal(id: string): Limits {
    return merged(this.settings.principal, this.ownOfPrincipal(id));
  }

  /** What a limit sets for this principal alone. */
  ownOfPrincipal(id: string): Partial<Limits> | undefined {
    return setBy(this.limits.ofPrincipal(id));
  }

  /** The same of an organization. */
  ownOfOrganization(name: string): Partial<Limits> | undefined {
    return setBy(this.limits.ofOrganization(name));
  }

  /** A limit of storedBytes replaces the share of the disk too: that is a default. */
  ofOrganization(name: string): Limits {
    const { diskShare, ...limits } = this.settings.organization;
    const own = this.ownOfOrganization(name);
    const merge = merged(limits, own);
    const { space } = this.disk;
    if (diskShare === 0 || space === null || own?.storedBytes !== undefined) return merge;
    const bytes = space.free + space.reusable + space.used;
    return {
      ...merge,
      storedBytes: Math.min(merge.storedBytes, Math.floor((bytes * diskShare) / 100)),
    };
  }
}

function merged(limits: Limits, own: Partial<Limits> = {}): Limits {
  const { openTasks, tasksPerDay, storedBytes } = { ...limits, ...own };
  return {
    openTasks: orNone(openTasks),
    tasksPerDay: orNone(tasksPerDay),
    storedBytes: orNone(storedBytes),
  };
}

function setBy(limit: Limit | undefined): Partial<Limits> | undefined {
  if (limit === undefined) return undefined;
  const { openTasks, tasksPerDay, storedBytes } = limit;
  return {
    ...(openTasks !== null && { openTasks }),
    ...(tasksPerDay !== null && { tasksPerDay }),
    ...(storedBytes !== null && { storedBytes }),
  };
}

function orNone(limit: number): number {
  return limit === 0 ? Infinity : limit;
}
