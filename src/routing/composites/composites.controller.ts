import {
  Body,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { ChangesNothing } from '../../common/http/audited-route.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { ifMatchOf } from '../if-match-header.js';
import { CompositePreview } from './composite-preview.js';
import {
  CompositeDto,
  CompositeValidationDto,
  CompositeVersionDto,
  CompositeVersionPageDto,
} from './composite-view.dto.js';
import {
  CompositeOrganizationQueryDto,
  CreateCompositeDto,
  PatchCompositeDto,
} from './composite.dto.js';
import { CompositesService } from './composites.service.js';
import type { Composite } from './domain/composite.js';
import { versionsWanted, versionTag } from '../../common/http/if-match.js';

const IF_MATCH = ifMatchOf('skill');

@AdminController('composite skills', 'api/v1', 'routing')
export class CompositesController {
  constructor(
    private readonly composites: CompositesService,
    private readonly preview: CompositePreview,
  ) {}

  @Post('composite-skills')
  @ApiOperation({
    summary: 'Create a composite skill: a named plan of steps, published as one skill of the hub.',
  })
  @ApiCreatedResponse({ type: CompositeDto })
  async create(
    @Body() body: CreateCompositeDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompositeDto> {
    return this.shown(await this.composites.create(body.id, body), reply);
  }

  @Post('composite-skills::validate')
  @ChangesNothing()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Validate a composite skill: report its problems, or the agents its steps would go to. Saves nothing.',
  })
  @ApiOkResponse({ type: CompositeValidationDto })
  async validate(
    @Body() body: CreateCompositeDto,
    @Query() { organization }: CompositeOrganizationQueryDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<CompositeValidationDto> {
    const caller = { ...principal, organization: organization ?? principal.organization };
    return this.preview.of(body.id, body, caller);
  }

  @Get('composite-skills')
  @ApiOperation({ summary: 'List composite skills by id.' })
  @ApiOkResponse({ type: PageType(CompositeDto) })
  async list(@Query() { limit, cursor }: PageQueryDto): Promise<Page<CompositeDto>> {
    const page = await this.composites.list(limit, cursor);
    const missing = this.composites.missing();
    return { ...page, items: page.items.map((each) => new CompositeDto(each, missing(each))) };
  }

  @Get('composite-skills/:id')
  @ApiOperation({ summary: 'Get a composite skill.' })
  @ApiOkResponse({ type: CompositeDto })
  async get(
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompositeDto> {
    return this.shown(await this.composites.get(id), reply);
  }

  @Get('composite-skills/:id/versions')
  @ApiOperation({ summary: 'List the versions of a composite skill, deleted skills included.' })
  @ApiOkResponse({ type: CompositeVersionPageDto })
  async versions(
    @Param('id') id: string,
    @Query() { limit, cursor }: PageQueryDto,
  ): Promise<CompositeVersionPageDto> {
    const page = await this.composites.versions.page(id, limit, cursor);
    return { ...page, items: page.items.map((each) => new CompositeVersionDto(each)) };
  }

  @Get('composite-skills/:id/versions/:version')
  @ApiOperation({ summary: 'Get one version of a composite skill, deleted skills included.' })
  @ApiOkResponse({ type: CompositeVersionDto })
  async version(
    @Param('id') id: string,
    @Param('version') version: string,
  ): Promise<CompositeVersionDto> {
    return new CompositeVersionDto(await this.composites.versions.one(id, version));
  }

  @Patch('composite-skills/:id')
  @ApiOperation({ summary: 'Update members of a composite skill; open tasks keep their plan.' })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: CompositeDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchCompositeDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompositeDto> {
    return this.shown(await this.composites.patch(id, body, versionsWanted(ifMatch)), reply);
  }

  @Delete('composite-skills/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a composite skill; its versions stay and open tasks continue.' })
  @ApiHeader(IF_MATCH)
  @ApiNoContentResponse()
  async remove(
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.composites.remove(id, versionsWanted(ifMatch));
  }

  private shown(composite: Composite, reply: FastifyReply): CompositeDto {
    void reply.header('etag', versionTag(composite.version));
    return new CompositeDto(composite, this.composites.missing()(composite));
  }
}
