import { Readable } from 'node:stream';
import { Body, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CredentialWatch, CurrentPrincipal, type Principal } from '../auth/index.js';
import { PrincipalNames } from '../audit/index.js';
import { AdminController } from '../common/http/admin-controller.js';
import { AuditedRead } from '../common/http/audited-route.js';
import { isHead } from '../common/http/is-head.js';
import { onceClosed } from '../common/http/once-closed.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import { DataExport } from './data-export.js';
import { DataJobDto, DataOwnerDto, jobView, jobViews } from './data-job.dto.js';
import { DataJobs } from './data-jobs.service.js';

/** One record in each line. */
const NDJSON = 'application/x-ndjson';

@AdminController('data', 'api/v1/data/exports', 'data')
export class DataExportsController {
  constructor(
    private readonly jobs: DataJobs,
    private readonly exports: DataExport,
    private readonly credentials: CredentialWatch,
    private readonly names: PrincipalNames,
  ) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Export all data of an organization or of a principal.',
    description: 'Its content is made while it is read, as often as it is read.',
  })
  @ApiAcceptedResponse({ type: DataJobDto })
  async export(
    @Body() { organization, principal }: DataOwnerDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<DataJobDto> {
    const owner = this.jobs.ownerOf(organization, principal);
    return jobView(await this.jobs.export(owner, caller), this.names);
  }

  @Get()
  @ApiOperation({ summary: 'List exports, the newest first.' })
  @ApiOkResponse({ type: PageType(DataJobDto) })
  async list(@Query() { limit, cursor }: PageQueryDto): Promise<Page<DataJobDto>> {
    const page = await this.jobs.list('export', limit, cursor);
    return { ...page, items: await jobViews(page.items, this.names) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Get an export: how far it is, and the receipt of its last reading.' })
  @ApiOkResponse({ type: DataJobDto })
  async get(@Param('id') id: string): Promise<DataJobDto> {
    return jobView(await this.jobs.get('export', id), this.names);
  }

  @Get(':id/content')
  @AuditedRead()
  @ApiOperation({
    summary: 'Read an export as newline-delimited JSON. The read is logged.',
    description:
      'Each line is `{"kind", "record"}`; the last is `{"kind": "end", "sha256", "receipt"}`, of all bytes before it. Without that line the export is not whole. Secrets are in none.',
  })
  @ApiProduces(NDJSON)
  @ApiOkResponse({ description: 'One record in each line.' })
  async content(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const job = await this.jobs.get('export', id);
    if (isHead(reply)) return void reply.type(NDJSON).send();
    const ended = new AbortController();
    const open = await this.exports.open(job, ended);
    const lines = Readable.from(open.lines, { objectMode: false, highWaterMark: 1 });
    // A key that is revoked ends what it has begun.
    const unwatch = this.credentials.watch(principal, ended);
    ended.signal.addEventListener('abort', () => lines.destroy(ended.signal.reason as Error));
    lines.once('close', () => {
      unwatch();
      open.left();
    });
    void reply.type(NDJSON).send(lines);
    onceClosed(reply.raw, () => lines.destroy());
  }

  @Post(':id(^[^:]+)::cancel')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Cancel an export: who reads it is cut off, and it cannot be read again.',
  })
  @ApiOkResponse({ type: DataJobDto })
  async cancel(@Param('id') id: string): Promise<DataJobDto> {
    return jobView(await this.jobs.cancel('export', id), this.names);
  }
}
