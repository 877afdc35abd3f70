import { ApiProperty } from '@nestjs/swagger';
import type { DiskSpace } from '../../database/database.js';
import type { Limits } from './quota-limits.js';
import type { Usage } from '../store/usage.js';

export class UsageDto {
  @ApiProperty({ type: Number })
  readonly openTasks: number;

  @ApiProperty({ type: Number, description: 'Tasks created since midnight (UTC).' })
  readonly tasksToday: number;

  @ApiProperty({ type: Number, description: 'Approximate.' })
  readonly storedBytes: number;

  constructor(usage: Usage) {
    this.openTasks = usage.openTasks;
    this.tasksToday = usage.tasksToday;
    this.storedBytes = usage.storedBytes;
  }
}

export class LimitsDto {
  @ApiProperty({ type: Number, nullable: true })
  readonly openTasks: number | null;

  @ApiProperty({ type: Number, nullable: true })
  readonly tasksPerDay: number | null;

  @ApiProperty({ type: Number, nullable: true })
  readonly storedBytes: number | null;

  constructor(limits: Limits) {
    this.openTasks = orNull(limits.openTasks);
    this.tasksPerDay = orNull(limits.tasksPerDay);
    this.storedBytes = orNull(limits.storedBytes);
  }
}

export class OrganizationUsageDto {
  @ApiProperty({ type: String })
  readonly organization: string;

  @ApiProperty({ type: UsageDto })
  readonly usage: UsageDto;

  @ApiProperty({ type: LimitsDto, description: 'The limits in force; null for none.' })
  readonly limits: LimitsDto;

  constructor(organization: string, usage: Usage, limits: Limits) {
    this.organization = organization;
    this.usage = new UsageDto(usage);
    this.limits = new LimitsDto(limits);
  }
}

export class PrincipalUsageDto {
  @ApiProperty({ type: String })
  readonly principalId: string;

  @ApiProperty({ type: UsageDto })
  readonly usage: UsageDto;

  @ApiProperty({ type: LimitsDto, description: 'The limits in force; null for none.' })
  readonly limits: LimitsDto;

  constructor(principalId: string, usage: Usage, limits: Limits) {
    this.principalId = principalId;
    this.usage = new UsageDto(usage);
    this.limits = new LimitsDto(limits);
  }
}

export class DiskDto {
  @ApiProperty({ type: Number, description: 'Free on the disk.' })
  readonly freeBytes: number;

  @ApiProperty({ type: Number, description: 'Free in the file of the database.' })
  readonly reusableBytes: number;

  @ApiProperty({ type: Number, description: 'Used by the data.' })
  readonly usedBytes: number;

  @ApiProperty({ type: Boolean, description: 'New tasks are refused (database.minFree).' })
  readonly isLow: boolean;

  constructor({ free, reusable, used }: DiskSpace, isLow: boolean) {
    this.freeBytes = free;
    this.reusableBytes = reusable;
    this.usedBytes = used;
    this.isLow = isLow;
  }
}

export class HubUsageDto {
  @ApiProperty({ type: UsageDto })
  readonly usage: UsageDto;

  @ApiProperty({ type: DiskDto, nullable: true, description: 'Null with PostgreSQL.' })
  readonly disk: DiskDto | null;

  constructor(usage: Usage, space: DiskSpace | null, isLow: boolean) {
    this.usage = new UsageDto(usage);
    this.disk = space && new DiskDto(space, isLow);
  }
}

export class OrganizationUsagePageDto {
  @ApiProperty({ type: [OrganizationUsageDto] })
  readonly items!: readonly OrganizationUsageDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class PrincipalUsagePageDto {
  @ApiProperty({ type: [PrincipalUsageDto] })
  readonly items!: readonly PrincipalUsageDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

function orNull(limit: number): number | null {
  return limit === Infinity ? null : limit;
}
