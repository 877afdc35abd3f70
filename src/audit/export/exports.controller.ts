import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../../common/http/admin-controller.js';
import { AuditExports } from './audit-exports.js';
import { ExportListDto, ExportViewDto } from './export-view.dto.js';

@AdminController('audit', 'api/v1', 'audit')
export class ExportsController {
  constructor(private readonly exports: AuditExports) {}

  @Get('audit/exports')
  @ApiOperation({
    summary: 'List the exports of the audit log, and how far each has come.',
    description: 'The same in every process. They are declared by the setting `audit.export`.',
  })
  @ApiOkResponse({ type: ExportListDto })
  async list(): Promise<ExportListDto> {
    const views = await this.exports.views();
    return new ExportListDto(views.map((view) => new ExportViewDto(view)));
  }
}
