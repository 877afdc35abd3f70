import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiConflictResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { PageType } from '../common/http/page-type.js';
import type { Page } from '../common/page.js';
import {
  AuditEventDto,
  AuditQueryDto,
  filterOf,
  VerificationDto,
  VerifyAuditDto,
} from './audit.dto.js';
import { AuditReader } from './audit-reader.js';
import { AuditVerifier } from './audit-verifier.js';

@AdminController('audit', 'api/v1', 'audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly verifier: AuditVerifier,
  ) {}

  @Get('audit')
  @ApiOperation({
    summary: 'List the audit log, newest first: changes, refusals, tasks.',
    description:
      'With filters that few entries fit, a page may have fewer items than `limit`, or none, while there is a `nextCursor`.',
  })
  @ApiOkResponse({ type: PageType(AuditEventDto) })
  async list(@Query() { limit, cursor, ...filter }: AuditQueryDto): Promise<Page<AuditEventDto>> {
    const page = await this.reader.list(filterOf(filter), limit, cursor);
    return { ...page, items: page.items.map((event) => new AuditEventDto(event)) };
  }

  @Post('audit::verify')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Verify the audit log: whether anything in it was changed, added or removed.',
    description:
      'Reads all of it, in pieces; a log of a million entries takes about a minute. One verification at a time in each process.',
  })
  @ApiOkResponse({ type: VerificationDto })
  @ApiConflictResponse({ description: 'A verification is running already.' })
  async verify(@Body() { anchor }: VerifyAuditDto): Promise<VerificationDto> {
    return new VerificationDto(await this.verifier.verify(anchor));
  }
}
