import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { AdminController, RequireScope } from '../../common/http/admin-controller.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import type { AuthProfile } from './auth-profile.js';
import { AuthProfileDto, IssuedAuthProfileDto } from './auth-profile-view.dto.js';
import {
  CreateAuthProfileDto,
  DeleteAuthProfileQueryDto,
  PatchAuthProfileDto,
  RotateAuthProfileDto,
} from './auth-profile.dto.js';
import { AuthProfilesService } from './auth-profiles.service.js';

@AdminController('push', 'api/v1/push/auth-profiles', 'push')
export class AuthProfilesController {
  constructor(
    private readonly profiles: AuthProfilesService,
    private readonly clock: Clock,
  ) {}

  @Post()
  @RequireScope('push:all')
  @ApiOperation({
    summary:
      'Create an auth profile: credentials or keys, kept on the hub, that authenticate webhook requests.',
  })
  @ApiCreatedResponse({ type: IssuedAuthProfileDto })
  @ApiConflictResponse({ description: 'An auth profile of that name exists already.' })
  async create(
    @Body() body: CreateAuthProfileDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<IssuedAuthProfileDto> {
    const { profile, issuedSecret } = await this.profiles.create(body, caller);
    const reference = this.profiles.referenceOf(profile);
    return new IssuedAuthProfileDto(profile, this.clock.now(), reference, issuedSecret);
  }

  @Get()
  @ApiOperation({ summary: 'List auth profiles, newest first.' })
  @ApiOkResponse({ type: PageType(AuthProfileDto) })
  async list(
    @Query() query: PageQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<AuthProfileDto>> {
    const page = await this.profiles.list(caller, query.limit, query.cursor);
    return { ...page, items: page.items.map((each) => this.shown(each)) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get an auth profile.' })
  @ApiOkResponse({ type: AuthProfileDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AuthProfileDto> {
    return this.shown(await this.profiles.get(id, caller));
  }

  @Patch(':id')
  @RequireScope('push:all')
  @ApiOperation({ summary: 'Update an auth profile.' })
  @ApiOkResponse({ type: AuthProfileDto })
  async patch(@Param('id') id: string, @Body() body: PatchAuthProfileDto): Promise<AuthProfileDto> {
    return this.shown(await this.profiles.patch(id, body));
  }

  @Post(':id(^[^:]+)::rotate')
  @HttpCode(200)
  @RequireScope('push:all')
  @ApiOperation({ summary: 'Rotate the secret of an auth profile.' })
  @ApiOkResponse({ type: IssuedAuthProfileDto })
  async rotate(
    @Param('id') id: string,
    @Body() body: RotateAuthProfileDto,
  ): Promise<IssuedAuthProfileDto> {
    const { profile, issuedSecret } = await this.profiles.rotate(id, body);
    const reference = this.profiles.referenceOf(profile);
    return new IssuedAuthProfileDto(profile, this.clock.now(), reference, issuedSecret);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScope('push:all')
  @ApiOperation({ summary: 'Delete an auth profile.' })
  @ApiNoContentResponse()
  @ApiConflictResponse({ description: 'Webhooks use it, and `force` is not set.' })
  async remove(@Param('id') id: string, @Query() query: DeleteAuthProfileQueryDto): Promise<void> {
    await this.profiles.remove(id, query.force ?? false);
  }

  private shown(profile: AuthProfile): AuthProfileDto {
    return new AuthProfileDto(profile, this.clock.now(), this.profiles.referenceOf(profile));
  }
}
