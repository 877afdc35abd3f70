import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiConflictResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import {
  AuditEventDto,
  AuditPageDto,
  AuditQueryDto,
  filterOf,
  VerificationDto,
  VerifyAuditDto,
} from './audit.dto.js';
import { AuditReader } from './audit-reader.js';
import { AuditVerifier } from './audit-verifier.js';
import { PrincipalNames } from './principal-names.js';

@AdminController('audit', 'api/v1', 'audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly verifier: AuditVerifier,
    private readonly names: PrincipalNames,
  ) {}

  @Get('audit')
  @ApiOperation({
    summary: 'List the audit log, newest first: changes, refusals, tasks.',
    description:
      'With filters that few entries fit, a page may have fewer items than `limit`, or none, while there is a `nextCursor`.',
  })
  @ApiOkResponse({ type: AuditPageDto })
  async list(@Query() { limit, cursor, ...filter }: AuditQueryDto): Promise<AuditPageDto> {
    const page = await this.reader.list(filterOf(filter), limit, cursor);
    const ids = page.items.flatMap(({ principal, onBehalfOf }) => [principal, onBehalfOf]);
    const names = await this.names.of(ids.filter((id) => id !== null));
    return {
      ...page,
      items: page.items.map((event) => new AuditEventDto(event)),
      names: [...names].map(([id, name]) => ({ id, name })),
    };
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
