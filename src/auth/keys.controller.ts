import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import { CurrentPrincipal } from './admin-handler.js';
import { CreateKeyDto, CreatedKeyDto, KeyDto, RotateKeyDto } from './key.dto.js';
import { KeysService } from './keys.service.js';
import type { Principal } from './principal.js';

@AdminController('keys', 'api/v1/keys', 'access:organization')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Post()
  @ApiOperation({
    summary: 'Create an API key for a new principal, or a further one for an existing principal.',
  })
  @ApiCreatedResponse({ type: CreatedKeyDto })
  async create(
    @Body() body: CreateKeyDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<CreatedKeyDto> {
    const { principal, expiresAt, ...rest } = body;
    const { key, record } = await this.keys.create(
      { ...rest, principalId: principal, expiresAt: dateOf(expiresAt) },
      caller,
    );
    return new CreatedKeyDto(record, key);
  }

  @Get()
  @ApiOperation({ summary: 'List API keys, newest first, revoked ones included.' })
  @ApiOkResponse({ type: PageType(KeyDto) })
  async list(
    @Query() query: PageQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<KeyDto>> {
    const page = await this.keys.list(caller, query.limit, query.cursor);
    return { ...page, items: page.items.map((record) => new KeyDto(record)) };
  }

  @Post(':id(^[^:]+)::rotate')
  @ApiOperation({
    summary:
      'Replace an API key: a new one for the same principal, with the same name and scopes; the old one expires after an overlap.',
  })
  @ApiCreatedResponse({ type: CreatedKeyDto })
  async rotate(
    @Param('id') id: string,
    @Body() body: RotateKeyDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<CreatedKeyDto> {
    const { overlapSeconds, expiresAt } = body;
    const overlapMs = overlapSeconds * 1000;
    const { key, record } = await this.keys.rotate(id, caller, overlapMs, dateOf(expiresAt));
    return new CreatedKeyDto(record, key);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke an API key permanently.' })
  @ApiNoContentResponse()
  async revoke(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.keys.revoke(id, caller);
  }
}

/** Null says the same as nothing. */
function dateOf(time: string | null | undefined): Date | undefined {
  return time == null ? undefined : new Date(time);
}
