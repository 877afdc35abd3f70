import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { AdminController, RequireScope } from '../common/http/admin-controller.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import { CurrentPrincipal } from './admin-handler.js';
import {
  ChangeOrganizationDto,
  CreateOrganizationDto,
  OrganizationDto,
  OrganizationQueryDto,
} from './organization.dto.js';
import { OrganizationsService } from './organizations.service.js';
import type { Principal } from './principal.js';

@AdminController('organizations', 'api/v1/organizations', 'access:organization')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Post()
  @RequireScope('access')
  @ApiOperation({
    summary: 'Create an organization.',
    description:
      'An organization is also created with its first principal, unless auth.organizations is listed.',
  })
  @ApiCreatedResponse({ type: OrganizationDto })
  async create(@Body() { id, ...edits }: CreateOrganizationDto): Promise<OrganizationDto> {
    return new OrganizationDto(await this.organizations.create(id, edits));
  }

  @Get()
  @ApiOperation({ summary: 'List organizations by id.' })
  @ApiOkResponse({ type: PageType(OrganizationDto) })
  async list(
    @Query() query: OrganizationQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<OrganizationDto>> {
    const { limit, cursor, state } = query;
    const page = await this.organizations.list({ state }, caller, limit, cursor);
    return { ...page, items: page.items.map((record) => new OrganizationDto(record)) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get an organization.' })
  @ApiOkResponse({ type: OrganizationDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<OrganizationDto> {
    return new OrganizationDto(await this.organizations.get(id, caller));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change the display name, description and labels of an organization.' })
  @ApiOkResponse({ type: OrganizationDto })
  async patch(
    @Param('id') id: string,
    @Body() edits: ChangeOrganizationDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<OrganizationDto> {
    return new OrganizationDto(await this.organizations.change(id, { ...edits }, caller));
  }

  @Post(':id(^[^:]+)::disable')
  @HttpCode(200)
  @RequireScope('access')
  @ApiOperation({
    summary:
      'Disable an organization: the keys, sign-ins and open calls of all its principals end and their webhooks and subscriptions pause, at once.',
    description:
      'Its tasks continue; undelivered webhook events wait until it is enabled. It gets no new principals and keys meanwhile.',
  })
  @ApiOkResponse({ type: OrganizationDto })
  async disable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<OrganizationDto> {
    return new OrganizationDto(await this.organizations.disable(id, caller));
  }

  @Post(':id(^[^:]+)::enable')
  @HttpCode(200)
  @RequireScope('access')
  @ApiOperation({
    summary:
      'Enable an organization: its credentials are valid again, except those of principals that are disabled themselves.',
  })
  @ApiOkResponse({ type: OrganizationDto })
  async enable(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<OrganizationDto> {
    return new OrganizationDto(await this.organizations.enable(id, caller));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScope('access')
  @ApiOperation({
    summary: 'Delete an organization that has nothing more.',
    description:
      'Refused (409) with what is left. What was counted of it goes with it: usage, what it has cost, the health of its receivers.',
  })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string): Promise<void> {
    await this.organizations.remove(id);
  }
}
