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
import { AdminController } from '../../common/http/admin-controller.js';
import { ChangesNothing } from '../../common/http/audited-route.js';
import { versionsWanted, versionTag } from '../../common/http/if-match.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { ifMatchOf } from '../if-match-header.js';
import { RulePreview } from './rule-preview.js';
import {
  CreateRuleDto,
  PatchRuleDto,
  ReorderRulesDto,
  RuleReplacedQueryDto,
} from './rule-requests.dto.js';
import { RuleDto, RuleValidationDto, RuleVersionDto } from './rule-view.dto.js';
import { RulesService, type ShownRule } from './rules.service.js';

const IF_MATCH = ifMatchOf('rule');

@AdminController('routes', 'api/v1/routes', 'routing')
export class RulesController {
  constructor(
    private readonly rules: RulesService,
    private readonly preview: RulePreview,
  ) {}

  @Post('rules')
  @ApiOperation({
    summary: 'Create a rule that routes messages which name no agent, skill or tags.',
  })
  @ApiCreatedResponse({ type: RuleDto })
  async create(
    @Body() body: CreateRuleDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RuleDto> {
    return shown(await this.rules.create(body), reply);
  }

  @Post('rules::validate')
  @ChangesNothing()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Validate a rule: report its problems, or why messages would skip it. Saves nothing.',
  })
  @ApiOkResponse({ type: RuleValidationDto })
  async validate(
    @Body() body: CreateRuleDto,
    @Query() { replaces }: RuleReplacedQueryDto,
  ): Promise<RuleValidationDto> {
    return this.preview.of(body, replaces);
  }

  @Get('rules')
  @ApiOperation({ summary: 'List the rules in the order in which they are evaluated.' })
  @ApiOkResponse({ type: PageType(RuleDto) })
  async list(@Query() query: PageQueryDto): Promise<Page<RuleDto>> {
    return pageOf(await this.rules.list(query.limit, query.cursor));
  }

  @Post('rules::reorder')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reorder all rules created through the API.' })
  @ApiOkResponse({ type: PageType(RuleDto) })
  async reorder(@Body() body: ReorderRulesDto): Promise<Page<RuleDto>> {
    return pageOf(await this.rules.reorder(body.ids));
  }

  @Get('rules/:id')
  @ApiOperation({ summary: 'Get a rule.' })
  @ApiOkResponse({ type: RuleDto })
  async get(
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RuleDto> {
    return shown(await this.rules.get(id), reply);
  }

  @Get('rules/:id/versions')
  @ApiOperation({
    summary: 'List the versions of a rule, the newest first; deleted rules included.',
  })
  @ApiOkResponse({ type: PageType(RuleVersionDto) })
  async versions(
    @Param('id') id: string,
    @Query() { limit, cursor }: PageQueryDto,
  ): Promise<Page<RuleVersionDto>> {
    const page = await this.rules.versions.page(id, limit, cursor);
    return { ...page, items: page.items.map((each) => new RuleVersionDto(each)) };
  }

  @Get('rules/:id/versions/:version')
  @ApiOperation({ summary: 'Get one version of a rule, deleted rules included.' })
  @ApiOkResponse({ type: RuleVersionDto })
  async version(
    @Param('id') id: string,
    @Param('version') version: string,
  ): Promise<RuleVersionDto> {
    return new RuleVersionDto(await this.rules.versions.one(id, version));
  }

  @Patch('rules/:id')
  @ApiOperation({ summary: 'Change or move a rule.' })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: RuleDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchRuleDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RuleDto> {
    return shown(await this.rules.patch(id, body, versionsWanted(ifMatch)), reply);
  }

  @Delete('rules/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a rule; its versions stay.' })
  @ApiHeader(IF_MATCH)
  @ApiNoContentResponse()
  async remove(
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.rules.remove(id, versionsWanted(ifMatch));
  }
}

function shown(rule: ShownRule, reply: FastifyReply): RuleDto {
  void reply.header('etag', versionTag(rule.rule.version));
  return new RuleDto(rule);
}

function pageOf(page: Page<ShownRule>): Page<RuleDto> {
  return { ...page, items: page.items.map((rule) => new RuleDto(rule)) };
}
