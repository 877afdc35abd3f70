import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ACCEPTED_AGE, AcceptedAge } from '../../common/http/accepted-age.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { HealthDetails } from './health-details.js';
import { HealthDetailsDto } from './health-details.dto.js';

/** What is wrong with the hub and with whom it calls, and what to do. */
@AdminController('health', 'health', 'admin')
export class HealthDetailsController {
  constructor(private readonly details: HealthDetails) {}

  @Get('details')
  @ApiOperation({
    summary:
      'Check the database, clock, disk, workers, stuck tasks, egress, issuers, agents and receivers.',
    description: `As the process that answers sees them, each with what to do. For people: probes use /health/live and /health/ready. ${ACCEPTED_AGE}`,
  })
  @ApiOkResponse({ type: HealthDetailsDto })
  async get(@AcceptedAge() maxAgeMs: number): Promise<HealthDetailsDto> {
    return new HealthDetailsDto(await this.details.findings(maxAgeMs));
  }
}
