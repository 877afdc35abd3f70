import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { Clock } from '../../common/clock.js';
import { ReceiverGate } from './receiver-gate.js';
import { originOf } from './endpoint.js';
import type { EndpointView } from './endpoint-store.js';
import { EndpointDto, EndpointPageDto, EndpointQueryDto } from './endpoint.dto.js';
import { EndpointsService } from './endpoints.service.js';

@AdminController('push', 'api/v1/push/endpoints', 'push')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly gate: ReceiverGate,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the receivers (scheme, host, port) of webhooks, with their health.',
  })
  @ApiOkResponse({ type: EndpointPageDto })
  async list(
    @Query() query: EndpointQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<EndpointPageDto> {
    const { limit, cursor, ...filter } = query;
    const page = await this.endpoints.list(filter, limit, cursor, caller);
    const now = this.clock.now();
    const isListed = ({ organization, endpoint }: EndpointView): boolean =>
      this.gate.isTrusted({ organization, url: originOf(endpoint) });
    const items = page.items.map((each) => new EndpointDto(each, isListed(each), now));
    return { ...page, items };
  }
}
