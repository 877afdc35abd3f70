import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController, CurrentPrincipal } from './admin-controller.js';
import { PrincipalDto, PrincipalPageDto, PrincipalQueryDto } from './principal.dto.js';
import type { Principal } from './principal.js';
import type { PrincipalRecord } from './principal-store.js';
import { PrincipalsService } from './principals.service.js';

@AdminController('principals', 'api/v1/principals', 'admin')
export class PrincipalsController {
  constructor(private readonly principals: PrincipalsService) {}

  @Get()
  @ApiOperation({ summary: 'Lists who may call the hub, with how many valid keys.' })
  @ApiOkResponse({ type: PrincipalPageDto })
  async list(@Query() query: PrincipalQueryDto): Promise<PrincipalPageDto> {
    const { limit, cursor, ...filter } = query;
    const page = await this.principals.list(filter, limit, cursor);
    return { ...page, items: page.items.map((record) => this.view(record)) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Shows a principal.' })
  @ApiOkResponse({ type: PrincipalDto })
  async get(@Param('id') id: string): Promise<PrincipalDto> {
    return this.view(await this.principals.get(id));
  }

  @Post(':id(^[^:]+)::disable')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends its keys and open calls and pauses its webhooks and subscriptions, at once.',
    description:
      'Its tasks go on; what its webhooks had to tell waits until it is enabled or they are handed over. It gets no new keys meanwhile.',
  })
  @ApiOkResponse({ type: PrincipalDto })
  async disable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.disable(id, caller.id));
  }

  @Post(':id(^[^:]+)::enable')
  @HttpCode(200)
  @ApiOperation({ summary: 'Its keys are valid again, and what waits is sent.' })
  @ApiOkResponse({ type: PrincipalDto })
  async enable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.enable(id, caller.id));
  }

  private view(record: PrincipalRecord): PrincipalDto {
    return new PrincipalDto(record, this.principals.pushHeld(record));
  }
}
