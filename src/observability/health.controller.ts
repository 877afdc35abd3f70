import { Controller, Get } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Draining } from '../common/draining.js';
import { Public } from '../common/http/declare-access.js';
import { HubError } from '../common/hub-error.js';
import { DiskWatch } from '../database/disk-watch.js';
import { Database } from '../database/database.js';
import { WorkerWatch } from '../database/worker-watch.js';

@ApiTags('health')
@Controller('health')
@Public()
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly draining: Draining,
    private readonly disk: DiskWatch,
    private readonly workers: WorkerWatch,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'The process answers.' })
  @ApiOkResponse()
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Ready: the database answers and is migrated. Agents are not checked.',
    description:
      '`disk: low`: new tasks are refused. `workers: none`: no worker process is running, so tasks and webhooks wait.',
  })
  @ApiOkResponse()
  @ApiServiceUnavailableResponse()
  async ready(): Promise<{ status: string; disk?: string; workers?: string }> {
    if (this.draining.announced.aborted) throw new HubError('UNAVAILABLE', 'The hub is stopping.');
    try {
      await this.database.check();
    } catch (cause) {
      throw new HubError('UNAVAILABLE', 'The database is not ready.', { cause });
    }
    // Ready all the same: reading, canceling and deleting are what helps then.
    return {
      status: 'ok',
      ...(this.disk.isLow && { disk: 'low' }),
      ...(this.workers.hasNoWorkers && { workers: 'none' }),
    };
  }
}
