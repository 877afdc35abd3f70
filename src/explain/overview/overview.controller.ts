import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController, RequireEither } from '../../common/http/admin-controller.js';
import { Overview } from './overview.js';
import { OverviewDto, OverviewQueryDto } from './overview.dto.js';

/** How the whole hub stands, for whoever operates a part of it. */
@AdminController('overview', 'api/v1/overview', 'tasks:organization')
export class OverviewController {
  constructor(private readonly overview: Overview) {}

  @Get()
  @RequireEither(
    'tasks:organization',
    'tasks:all',
    'agents:organization',
    'agents',
    'push',
    'push:all',
    'access:organization',
    'access',
    'routing',
    'audit',
    'data',
  )
  @ApiOperation({
    summary:
      'Get how the hub stands: agents, tasks a minute, queues, calls, deliveries, receivers in trouble, limits near their end.',
    description:
      'What the caller may not see is null. Read at most every two seconds for all callers with the same rights; what processes count arrives within three seconds, and a crash may lose those: numbers for eyes, not for bills.',
  })
  @ApiOkResponse({ type: OverviewDto })
  get(
    @Query() { range }: OverviewQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<OverviewDto> {
    return this.overview.of(caller, range);
  }
}
