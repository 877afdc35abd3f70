import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { PrincipalNames } from '../../audit/index.js';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController, RequireScope } from '../../common/http/admin-controller.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { DiskWatch } from '../../database/disk-watch.js';
import { Spending } from '../../limits/index.js';
import { cursorBehind, placeIn } from './spending-cursor.js';
import { monthNumber, SpendingDto, SpendingQueryDto } from './spending.dto.js';
import { QuotaLimits } from './quota-limits.js';
import { UsageLedger } from './usage-ledger.js';
import { LimitUsage } from './limit-usage.js';
import { LimitUsageDto } from './limit-usage.dto.js';
import { OwnUsage } from './own-usage.js';
import { OwnUsageDto } from './own-usage.dto.js';
import { pageOf } from './usage-page.js';
import { HubUsageDto, OrganizationUsageDto, PrincipalUsageDto } from './usage.dto.js';

/** What organizations and principals use of the hub, beside what they may. */
@AdminController('usage', 'api/v1/usage', 'access')
export class UsageController {
  constructor(
    private readonly ledger: UsageLedger,
    private readonly limits: QuotaLimits,
    private readonly disk: DiskWatch,
    private readonly used: LimitUsage,
    private readonly spending: Spending,
    private readonly own: OwnUsage,
    private readonly names: PrincipalNames,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get the usage of all tasks together, and the disk space.' })
  @ApiOkResponse({ type: HubUsageDto })
  get(): HubUsageDto {
    return new HubUsageDto(this.ledger.total(), this.disk.space, this.disk.isLow);
  }

  @Get('organizations')
  @ApiOperation({ summary: 'List organizations by name, with their usage and limits.' })
  @ApiOkResponse({ type: PageType(OrganizationUsageDto) })
  organizations(@Query() { limit, cursor }: PageQueryDto): Page<OrganizationUsageDto> {
    const page = pageOf('usage/organizations', this.ledger.organizationNames(), limit, cursor);
    return { ...page, items: page.items.map((name) => this.organization(name)) };
  }

  @Get('organizations/:organization/principals')
  @ApiOperation({
    summary: 'List the principals of an organization, with their usage and limits.',
  })
  @ApiOkResponse({ type: PageType(PrincipalUsageDto) })
  async principals(
    @Param('organization') organization: string,
    @Query() { limit, cursor }: PageQueryDto,
  ): Promise<Page<PrincipalUsageDto>> {
    const page = pageOf('usage/principals', this.ledger.principalsOf(organization), limit, cursor);
    const names = await this.names.of(page.items);
    const items = page.items.map((principalId) => {
      const limits = this.limits.ofPrincipal(principalId);
      const usage = this.ledger.ofPrincipal({ organization, principalId });
      return new PrincipalUsageDto(principalId, names.get(principalId), usage, limits);
    });
    return { ...page, items };
  }

  @Get('me')
  @RequireScope('a2a')
  @ApiOperation({
    summary: 'List what limits the caller, and how much of it is used.',
  })
  @ApiOkResponse({ type: PageType(OwnUsageDto) })
  ownUsage(
    @Query() { limit, cursor }: PageQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<OwnUsageDto>> {
    return this.own.page(caller, limit, cursor);
  }

  @Get('limits')
  @ApiOperation({ summary: 'List limits, with how far each is used up.' })
  @ApiOkResponse({ type: PageType(LimitUsageDto) })
  async limitUsage(@Query() { limit, cursor }: PageQueryDto): Promise<Page<LimitUsageDto>> {
    const page = pageOf('usage/limits', this.used.ids(), limit, cursor);
    return { ...page, items: [...(await this.used.of(page.items))] };
  }

  @Get('spending')
  @ApiOperation({
    summary: 'List what the work of agents has cost, by month: the newest first.',
  })
  @ApiOkResponse({ type: PageType(SpendingDto) })
  async spent(@Query() query: SpendingQueryDto): Promise<Page<SpendingDto>> {
    const { by, limit, cursor, organization, principal, agent, from, to } = query;
    const after = cursor === undefined ? undefined : placeIn(cursor, query);
    const filter = {
      ...(organization !== undefined && { organization }),
      ...(principal !== undefined && { principal }),
      ...(agent !== undefined && { agent }),
      ...(from !== undefined && { fromMonth: monthNumber(from) }),
      ...(to !== undefined && { toMonth: monthNumber(to) }),
    };
    const found = await this.spending.sums(filter, ['month', by], limit + 1, after);
    const shown = found.slice(0, limit);
    const names = await this.names.of(shown.flatMap((each) => each.principal ?? []));
    const items = shown.map((each) => new SpendingDto(each, names));
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { items, nextCursor: last === undefined ? null : cursorBehind(last, query) };
  }

  private organization(name: string): OrganizationUsageDto {
    const { ledger, limits } = this;
    return new OrganizationUsageDto(name, ledger.ofOrganization(name), limits.ofOrganization(name));
  }
}
