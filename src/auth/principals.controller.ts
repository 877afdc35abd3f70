import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import { CurrentPrincipal } from './admin-handler.js';
import type { PrincipalRecord } from './principal-store.js';
import {
  ChangePrincipalDto,
  CreatePrincipalDto,
  PrincipalDto,
  PrincipalQueryDto,
} from './principal.dto.js';
import type { Principal } from './principal.js';
import { PrincipalsService } from './principals.service.js';

@AdminController('principals', 'api/v1/principals', 'access:organization')
export class PrincipalsController {
  constructor(private readonly principals: PrincipalsService) {}

  @Post()
  @ApiOperation({ summary: 'Create a principal without a key.' })
  @ApiCreatedResponse({ type: PrincipalDto })
  async create(
    @Body() body: CreatePrincipalDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.create(body, caller));
  }

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

  @Patch(':id')
  @ApiOperation({ summary: 'Change the display name and groups of a principal.' })
  @ApiOkResponse({ type: PrincipalDto })
  async patch(
    @Param('id') id: string,
    @Body() edits: ChangePrincipalDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PrincipalDto> {
    return this.view(await this.principals.change(id, edits, caller));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'Delete a disabled principal that has no tasks, webhooks and subscriptions, with its keys.',
    description:
      'Refused (409) with what is left. One that signs in through an issuer or a certificate can be deleted only while its organization is disabled: it would be enabled again by its next sign-in.',
  })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.principals.remove(id, caller);
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
