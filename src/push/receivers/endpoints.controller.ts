import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import type { EndpointView } from './endpoint-store.js';
import { EndpointDto, EndpointQueryDto } from './endpoint.dto.js';
import { originOf } from './endpoint.js';
import { EndpointsService } from './endpoints.service.js';
import { ReceiverLatencies } from './receiver-latencies.js';
import { ReceiverGate } from './receiver-gate.js';

@AdminController('push', 'api/v1/push/endpoints', 'push')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly gate: ReceiverGate,
    private readonly clock: Clock,
    private readonly latencies: ReceiverLatencies,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the receivers (scheme, host, port) of webhooks, with their health.',
  })
  @ApiOkResponse({ type: PageType(EndpointDto) })
  async list(
    @Query() query: EndpointQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<EndpointDto>> {
    const { limit, cursor, ...filter } = query;
    const page = await this.endpoints.list(filter, limit, cursor, caller);
    const now = this.clock.now();
    const isListed = ({ organization, endpoint }: EndpointView): boolean =>
      this.gate.isTrusted({ endpoint, organization, url: originOf(endpoint) });
    const latencies = await this.latencies.all();
    const items = page.items.map(
      (each) => new EndpointDto(each, isListed(each), now, latencies.get(each.endpoint) ?? null),
    );
    return { ...page, items };
  }
}
