import { PRINCIPAL_NAME } from '../../audit/index.js';
import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { DiskSpace } from '../../database/database.js';
import type { Usage } from '../store/usage.js';
import type { Limits } from './quota-limits.js';

export class UsageDto {
  @Shown.Num()
  readonly openTasks!: number;

  @Shown.Num({ description: 'Tasks created since midnight (UTC).' })
  readonly tasksToday!: number;

  @Shown.Num({ description: 'Approximate.' })
  readonly storedBytes!: number;

  constructor(usage: Usage) {
    fill<UsageDto>(this, usage);
  }
}

export class LimitsDto {
  @Shown.Num({ nullable: true })
  readonly openTasks: number | null;

  @Shown.Num({ nullable: true })
  readonly tasksPerDay: number | null;

  @Shown.Num({ nullable: true })
  readonly storedBytes: number | null;

  constructor(limits: Limits) {
    this.openTasks = orNull(limits.openTasks);
    this.tasksPerDay = orNull(limits.tasksPerDay);
    this.storedBytes = orNull(limits.storedBytes);
  }
}

export class OrganizationUsageDto {
  @Shown.Text()
  readonly organization: string;

  @Shown.Nested(() => UsageDto)
  readonly usage: UsageDto;

  @Shown.Nested(() => LimitsDto, { description: 'The limits in force; null for none.' })
  readonly limits: LimitsDto;

  constructor(organization: string, usage: Usage, limits: Limits) {
    this.organization = organization;
    this.usage = new UsageDto(usage);
    this.limits = new LimitsDto(limits);
  }
}

export class PrincipalUsageDto {
  @Shown.Text()
  readonly principalId: string;

  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName: string | null;

  @Shown.Nested(() => UsageDto)
  readonly usage: UsageDto;

  @Shown.Nested(() => LimitsDto, { description: 'The limits in force; null for none.' })
  readonly limits: LimitsDto;

  constructor(principalId: string, name: string | undefined, usage: Usage, limits: Limits) {
    this.principalId = principalId;
    this.principalName = name ?? null;
    this.usage = new UsageDto(usage);
    this.limits = new LimitsDto(limits);
  }
}

export class DiskDto {
  @Shown.Num({ description: 'Free on the disk.' })
  readonly freeBytes: number;

  @Shown.Num({ description: 'Free in the file of the database.' })
  readonly reusableBytes: number;

  @Shown.Num({ description: 'Used by the data.' })
  readonly usedBytes: number;

  @Shown.Flag({ description: 'New tasks are refused (database.minFree).' })
  readonly isLow: boolean;

  constructor({ free, reusable, used }: DiskSpace, isLow: boolean) {
    this.freeBytes = free;
    this.reusableBytes = reusable;
    this.usedBytes = used;
    this.isLow = isLow;
  }
}

export class HubUsageDto {
  @Shown.Nested(() => UsageDto)
  readonly usage: UsageDto;

  @Shown.Nested(() => DiskDto, { nullable: true, description: 'Null with PostgreSQL.' })
  readonly disk: DiskDto | null;

  constructor(usage: Usage, space: DiskSpace | null, isLow: boolean) {
    this.usage = new UsageDto(usage);
    this.disk = space && new DiskDto(space, isLow);
  }
}

function orNull(limit: number): number | null {
  return limit === Infinity ? null : limit;
}
