import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import { CurrentPrincipal } from './admin-handler.js';
import type { PrincipalRecord } from './principal-store.js';
import { PrincipalDto, PrincipalQueryDto } from './principal.dto.js';
import type { Principal } from './principal.js';
import { PrincipalsService } from './principals.service.js';

@AdminController('principals', 'api/v1/principals', 'access:organization')
export class PrincipalsController {
  constructor(private readonly principals: PrincipalsService) {}

  @Get()
  @ApiOperation({ summary: 'List principals and how many valid keys each has.' })
  @ApiOkResponse({ type: PageType(PrincipalDto) })
  async list(
    @Query() query: PrincipalQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<PrincipalDto>> {
    const { limit, cursor, ...filter } = query;
    const page = await this.principals.list(filter, caller, limit, cursor);
    return { ...page, items: page.items.map((record) => this.view(record)) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Get a principal.' })
  @ApiOkResponse({ type: PrincipalDto })
  async get(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<PrincipalDto> {
    return this.view(await this.principals.get(id, caller));
  }

  @Post(':id(^[^:]+)::disable')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Disable a principal: its keys and open calls end and its webhooks and subscriptions pause, at once.',
    description:
      'Its tasks continue; its undelivered webhook events wait until it is enabled or its webhooks are handed over. No key can be created for it meanwhile.',
  })
  @ApiOkResponse({ type: PrincipalDto })
  async disable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.disable(id, caller));
  }

  @Post(':id(^[^:]+)::enable')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Enable a principal: its keys are valid again and waiting webhook events are delivered.',
  })
  @ApiOkResponse({ type: PrincipalDto })
  async enable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.enable(id, caller));
  }

  private view(record: PrincipalRecord): PrincipalDto {
    return new PrincipalDto(record, this.principals.pushHeld(record));
  }
}
