import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { CreateRuleDto, PatchRuleDto, ReorderRulesDto } from './rule-requests.dto.js';
import { RuleDto } from './rule-view.dto.js';
import { RulesService, type ShownRule } from './rules.service.js';

@AdminController('routes', 'api/v1/routes', 'routing')
export class RulesController {
  constructor(private readonly rules: RulesService) {}

  @Post('rules')
  @ApiOperation({
    summary: 'Create a rule that routes messages which name no agent, skill or tags.',
  })
  @ApiCreatedResponse({ type: RuleDto })
  async create(@Body() body: CreateRuleDto): Promise<RuleDto> {
    return new RuleDto(await this.rules.create(body));
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
  async get(@Param('id') id: string): Promise<RuleDto> {
    return new RuleDto(await this.rules.get(id));
  }

  @Patch('rules/:id')
  @ApiOperation({ summary: 'Change or move a rule.' })
  @ApiOkResponse({ type: RuleDto })
  async patch(@Param('id') id: string, @Body() body: PatchRuleDto): Promise<RuleDto> {
    return new RuleDto(await this.rules.patch(id, body));
  }

  @Delete('rules/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a rule.' })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string): Promise<void> {
    await this.rules.remove(id);
  }
}

function pageOf(page: Page<ShownRule>): Page<RuleDto> {
  return { ...page, items: page.items.map((rule) => new RuleDto(rule)) };
}
