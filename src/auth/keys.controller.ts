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
import { PrincipalNames } from '../audit/index.js';
import type { ApiKey, KeyChanges } from './api-key-store.js';
import {
  ChangeKeyDto,
  CreateKeyDto,
  CreatedKeyDto,
  KeyDto,
  KeyQueryDto,
  RotateKeyDto,
} from './key.dto.js';
import { KeysService } from './keys.service.js';
import type { Principal } from './principal.js';

@AdminController('keys', 'api/v1/keys', 'access:organization')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly names: PrincipalNames,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create an API key for a new principal, or a further one for an existing principal.',
  })
  @ApiCreatedResponse({ type: CreatedKeyDto })
  async create(
    @Body() body: CreateKeyDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<CreatedKeyDto> {
    const { name, scopes, organization, principal, expiresAt, allowedNetworks, allowedOrigins } =
      body;
    const { key, record } = await this.keys.create(
      {
        name,
        scopes,
        organization: organization ?? undefined,
        principalId: principal ?? undefined,
        expiresAt: dateOf(expiresAt),
        allowedNetworks: allowedNetworks ?? undefined,
        allowedOrigins: allowedOrigins ?? undefined,
      },
      caller,
    );
    return new CreatedKeyDto(record, await this.nameIfReadable(record), key);
  }

  @Get()
  @ApiOperation({ summary: 'List API keys, newest first, revoked ones included.' })
  @ApiOkResponse({ type: PageType(KeyDto) })
  async list(
    @Query() { principal, limit, cursor }: KeyQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<KeyDto>> {
    const page = await this.keys.list(caller, principal, limit, cursor);
    const names = await this.namesOf(page.items);
    return { ...page, items: page.items.map((record) => new KeyDto(record, names)) };
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change the name, expiry, networks and origins of an API key.',
    description:
      'Counts for new calls, at once here and within a second in other processes of the hub; open ones end with an earlier expiry only.',
  })
  @ApiOkResponse({ type: KeyDto })
  async patch(
    @Param('id') id: string,
    @Body() body: ChangeKeyDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<KeyDto> {
    const { expiresAt, ...rest } = body;
    const changes = {
      ...given(rest),
      ...(expiresAt !== undefined && { expiresAt: expiresAt && new Date(expiresAt) }),
    };
    const record = await this.keys.change(id, changes as KeyChanges, caller);
    return new KeyDto(record, await this.namesOf([record]));
  }

  @Post(':id(^[^:]+)::rotate')
  @ApiOperation({
    summary:
      'Replace an API key: a new one for the same principal, with the same name, scopes, networks and origins; the old one expires after an overlap.',
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
    return new CreatedKeyDto(record, await this.nameIfReadable(record), key);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke an API key permanently.' })
  @ApiNoContentResponse()
  async revoke(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.keys.revoke(id, caller);
  }

  /** A key that is made is shown once: whatever fails from now on, it is. */
  private nameIfReadable(key: ApiKey): Promise<ReadonlyMap<string, string>> {
    return this.namesOf([key]).catch(() => new Map());
  }

  private namesOf(keys: readonly ApiKey[]): Promise<ReadonlyMap<string, string>> {
    return this.names.of(keys.map(({ principalId }) => principalId));
  }
}

/** What a body has. */
function given<T extends object>(body: T): Partial<T> {
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Partial<T>;
}

/** Null says the same as nothing. */
function dateOf(time: string | null | undefined): Date | undefined {
  return time == null ? undefined : new Date(time);
}
