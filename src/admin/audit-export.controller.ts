import { Readable } from 'node:stream';
import { Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AuditEventDto, AuditFilterDto, AuditReader, filterOf } from '../audit/index.js';
import type { AuditEvent, AuditFilter } from '../audit/index.js';
import { CurrentPrincipal, CredentialWatch, type Principal } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { AdminController } from '../common/http/admin-controller.js';
import { AuditedRead } from '../common/http/audited-route.js';
import { isHead } from '../common/http/is-head.js';
import { onceClosed } from '../common/http/once-closed.js';

/** One entry of the audit log in each line. */
const NDJSON = 'application/x-ndjson';

@AdminController('audit', 'api/v1', 'audit')
export class AuditExportController {
  constructor(
    private readonly reader: AuditReader,
    private readonly keys: CredentialWatch,
    private readonly clock: Clock,
  ) {}

  @Get('audit::export')
  @AuditedRead()
  @ApiOperation({
    summary: 'Export the audit log as newline-delimited JSON, oldest first. The export is logged.',
    description:
      'Each line is an entry as the list shows it, with its hashes. Entries written after the export began are not in it. A connection that is closed before the end of the last chunk has not brought all of it.',
  })
  @ApiProduces(NDJSON)
  @ApiOkResponse({ description: 'One entry in each line.', type: AuditEventDto })
  export(
    @Query() query: AuditFilterDto,
    @CurrentPrincipal() principal: Principal,
    @Res() reply: FastifyReply,
  ): void {
    const filter = filterOf(query);
    if (isHead(reply)) return void reply.type(NDJSON).send();
    const now = this.clock.now();
    const to = filter.to !== undefined && filter.to < now ? filter.to : now;
    // A key that is revoked ends what it has begun.
    const ended = new AbortController();
    const unwatch = this.keys.watch(principal, ended);
    const lines = Readable.from(linesOf(this.reader, { ...filter, to }, ended.signal), {
      objectMode: false,
      highWaterMark: 1,
    });
    lines.once('close', unwatch);
    void reply.type(NDJSON).send(lines);
    onceClosed(reply.raw, () => lines.destroy());
  }
}

async function* linesOf(
  reader: AuditReader,
  filter: AuditFilter,
  ended: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const events of reader.all(filter)) {
    ended.throwIfAborted();
    if (events.length > 0) yield Buffer.from(events.map(lineOf).join(''));
  }
}

function lineOf(event: AuditEvent): string {
  return `${JSON.stringify(new AuditEventDto(event))}\n`;
}
