import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../../common/http/admin-controller.js';
import { NoQuery } from '../../common/http/no-query.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { DiskWatch } from '../../database/disk-watch.js';
import { QuotaLimits } from './quota-limits.js';
import { UsageLedger } from './usage-ledger.js';
import { LimitUsage } from './limit-usage.js';
import { LimitUsageDto } from './limit-usage.dto.js';
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
  ) {}

  @Get()
  @NoQuery()
  @ApiOperation({ summary: 'Get the usage of all tasks together, and the disk space.' })
  @ApiOkResponse({ type: HubUsageDto })
  get(): HubUsageDto {
    return new HubUsageDto(this.ledger.total(), this.disk.space, this.disk.isLow);
  }

  @Get('organizations')
  @ApiOperation({ summary: 'List organizations by name, with their usage and limits.' })
  @ApiOkResponse({ type: PageType(OrganizationUsageDto) })
  organizations(@Query() { limit, cursor }: PageQueryDto): Page<OrganizationUsageDto> {
    const page = pageOf(this.ledger.organizationNames(), limit, cursor);
    return { ...page, items: page.items.map((name) => this.organization(name)) };
  }

  @Get('organizations/:organization/principals')
  @ApiOperation({
    summary: 'List the principals of an organization, with their usage and limits.',
  })
  @ApiOkResponse({ type: PageType(PrincipalUsageDto) })
  principals(
    @Param('organization') organization: string,
    @Query() { limit, cursor }: PageQueryDto,
  ): Page<PrincipalUsageDto> {
    const page = pageOf(this.ledger.principalsOf(organization), limit, cursor);
    const items = page.items.map((principalId) => {
      const usage = this.ledger.ofPrincipal({ organization, principalId });
      return new PrincipalUsageDto(principalId, usage, this.limits.ofPrincipal(principalId));
    });
    return { ...page, items };
  }

  @Get('limits')
  @ApiOperation({ summary: 'List limits, with how far each is used up.' })
  @ApiOkResponse({ type: PageType(LimitUsageDto) })
  async limitUsage(@Query() { limit, cursor }: PageQueryDto): Promise<Page<LimitUsageDto>> {
    const page = pageOf(this.used.ids(), limit, cursor);
    const items = await Promise.all(page.items.map((id) => this.used.of(id)));
    return { ...page, items: items.filter((each) => each !== undefined) };
  }

  private organization(name: string): OrganizationUsageDto {
    const { ledger, limits } = this;
    return new OrganizationUsageDto(name, ledger.ofOrganization(name), limits.ofOrganization(name));
  }
}
