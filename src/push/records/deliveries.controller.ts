import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { DeliveryAttemptDto } from './attempt.dto.js';
import { DeliveryQueryDto } from './delivery-requests.dto.js';
import { DeliveryDto } from './delivery.dto.js';
import { DeliveryService } from './delivery.service.js';

@AdminController('push', 'api/v1/push/deliveries', 'push')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Get()
  @ApiOperation({ summary: 'List deliveries, newest first.' })
  @ApiOkResponse({ type: PageType(DeliveryDto) })
  async list(
    @Query() query: DeliveryQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<DeliveryDto>> {
    const { limit, cursor, ...filter } = query;
    const page = await this.deliveries.list(filter, limit, cursor, caller);
    return { ...page, items: page.items.map((each) => new DeliveryDto(each)) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Get a delivery.' })
  @ApiOkResponse({ type: DeliveryDto })
  async get(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<DeliveryDto> {
    return new DeliveryDto(await this.deliveries.get(id, caller));
  }

  @Get(':id/attempts')
  @ApiOperation({ summary: 'List the attempts of a delivery, oldest first.' })
  @ApiOkResponse({ type: PageType(DeliveryAttemptDto) })
  async attempts(
    @Param('id') id: string,
    @Query() { limit, cursor }: PageQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<DeliveryAttemptDto>> {
    const page = await this.deliveries.attempts(id, limit, cursor, caller);
    return { ...page, items: page.items.map((each) => new DeliveryAttemptDto(each)) };
  }

  @Post(':id(^[^:]+)::redeliver')
  @HttpCode(202)
  @ApiOperation({ summary: 'Redeliver a delivery, with the same webhook-id.' })
  @ApiAcceptedResponse({ type: DeliveryDto })
  async redeliver(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<DeliveryDto> {
    return new DeliveryDto(await this.deliveries.redeliver(id, caller));
  }
}
