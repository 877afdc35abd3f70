import { Body, Delete, Get, Headers, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PrincipalNames } from '../audit/index.js';
import { AdminController } from '../common/http/admin-controller.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import { invalidField } from '../common/hub-error.js';
import type { Page } from '../common/page.js';
import { LimitBodyDto, LimitDto } from './limit.dto.js';
import type { ShownLimit } from './limit-subjects.js';
import { LimitsService } from './limits.service.js';

@AdminController('limits', 'api/v1/limits', 'access')
export class LimitsController {
  constructor(
    private readonly limits: LimitsService,
    private readonly names: PrincipalNames,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List limits: those of the configuration, then by id.' })
  @ApiOkResponse({ type: PageType(LimitDto) })
  async list(@Query() { limit, cursor }: PageQueryDto): Promise<Page<LimitDto>> {
    const page = await this.limits.list(limit, cursor);
    return { ...page, items: await this.shown(page.items) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a limit.' })
  @ApiOkResponse({ type: LimitDto })
  async get(@Param('id') id: string): Promise<LimitDto> {
    return (await this.shown([await this.limits.get(id)]))[0]!;
  }

  @Put(':id')
  @ApiOperation({
    summary:
      'Create or replace a limit: what an organization, a principal, an agent or a skill may have at most.',
    description: 'Every process follows it within about a second. What runs already goes on.',
  })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`*`: create it; if there is one of this id the answer is 409 (RFC 9110 §13.1.2).',
  })
  @ApiOkResponse({ type: LimitDto })
  @ApiCreatedResponse({ type: LimitDto })
  async put(
    @Param('id') id: string,
    @Body() body: LimitBodyDto,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LimitDto> {
    if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
      throw invalidField('If-None-Match', 'must be *: limits have no versions');
    }
    const { limit, isNew } = await this.limits.put(id, body, ifNoneMatch !== undefined);
    void reply.status(isNew ? 201 : 200);
    return (await this.shown([limit]))[0]!;
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a limit.' })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string): Promise<void> {
    await this.limits.remove(id);
  }

  private async shown(limits: readonly ShownLimit[]): Promise<LimitDto[]> {
    const names = await this.names.of(limits.flatMap(({ principal }) => principal ?? []));
    return limits.map((each) => new LimitDto(each, names));
  }
}
