import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../auth/index.js';
import { PrincipalNames } from '../audit/index.js';
import { AdminController } from '../common/http/admin-controller.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import { invalidField } from '../common/hub-error.js';
import type { Page } from '../common/page.js';
import { DataDeletionRequestDto, DataJobDto, jobView, jobViews } from './data-job.dto.js';
import { DataJobs } from './data-jobs.service.js';

@AdminController('data', 'api/v1/data/deletions', 'data')
export class DataDeletionsController {
  constructor(
    private readonly jobs: DataJobs,
    private readonly names: PrincipalNames,
  ) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Delete all data of an organization or of a principal.',
    description:
      'Its principals are disabled and its open tasks canceled first. What is deleted is gone; a signed receipt says what that was and what is kept.',
  })
  @ApiAcceptedResponse({ type: DataJobDto })
  async delete(
    @Body() { organization, principal, confirm, only, block = true }: DataDeletionRequestDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<DataJobDto> {
    const owner = this.jobs.ownerOf(organization, principal);
    if (confirm !== (organization ?? principal)) {
      throw invalidField('confirm', 'must be the name of what is to be deleted');
    }
    const request = { owner, isMappingOnly: only === 'mapping', blocks: block };
    return jobView(await this.jobs.delete(request, caller), this.names);
  }

  @Get()
  @ApiOperation({ summary: 'List deletions, the newest first.' })
  @ApiOkResponse({ type: PageType(DataJobDto) })
  async list(@Query() { limit, cursor }: PageQueryDto): Promise<Page<DataJobDto>> {
    const page = await this.jobs.list('deletion', limit, cursor);
    return { ...page, items: await jobViews(page.items, this.names) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Get a deletion: how far it is, and its receipt.' })
  @ApiOkResponse({ type: DataJobDto })
  async get(@Param('id') id: string): Promise<DataJobDto> {
    return jobView(await this.jobs.get('deletion', id), this.names);
  }

  @Post(':id(^[^:]+)::cancel')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Stop a deletion. What is deleted is gone; the principals stay disabled.',
  })
  @ApiOkResponse({ type: DataJobDto })
  async cancel(@Param('id') id: string): Promise<DataJobDto> {
    return jobView(await this.jobs.cancel('deletion', id), this.names);
  }
}
