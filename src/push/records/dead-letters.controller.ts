import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import { invalidField } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import {
  DeadLetterCountQueryDto,
  DeadLetterQueryDto,
  DeadLettersDto,
  LostEventsQueryDto,
} from './delivery-requests.dto.js';
import {
  DeadLetterCountDto,
  DeliveryDto,
  LostEventsDto,
  PurgedDto,
  RedeliveredDto,
} from './delivery.dto.js';
import { type RequestedDeliveries, DeliveryService } from './delivery.service.js';

@AdminController('push', 'api/v1/push', 'push')
export class DeadLettersController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Get('dead-letters')
  @ApiOperation({ summary: 'List dead letters (deliveries that were given up), newest first.' })
  @ApiOkResponse({ type: PageType(DeliveryDto) })
  async list(
    @Query() query: DeadLetterQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<DeliveryDto>> {
    const { limit, cursor, ...filter } = query;
    const page = await this.deliveries.deadLetters(filter, limit, cursor, caller);
    return { ...page, items: page.items.map((each) => new DeliveryDto(each)) };
  }

  @Get('dead-letters::count')
  @ApiOperation({ summary: 'Count dead letters, up to a limit.' })
  @ApiOkResponse({ type: DeadLetterCountDto })
  async count(
    @Query() query: DeadLetterCountQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<DeadLetterCountDto> {
    const { most, ...filter } = query;
    return new DeadLetterCountDto(await this.deliveries.countDead(filter, most, caller));
  }

  @Get('dead-letters::by-receiver')
  @ApiOperation({
    summary:
      'Count the newest dead letters by receiver, up to a limit: which receivers lost events, and why. Those that the owner of a webhook ended (it was deleted, or replayed) are left out. Whoever sees a receiver sees how many events it lost, also those of others in the organization; `own` says of how many you see the dead letters. With `taskId` or `configId` these alone are counted.',
  })
  @ApiOkResponse({ type: LostEventsDto })
  async byReceiver(
    @Query() query: LostEventsQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LostEventsDto> {
    const { most, ...filter } = query;
    return new LostEventsDto(await this.deliveries.lost(filter, most, caller));
  }

  @Post('dead-letters::redeliver')
  @HttpCode(202)
  @ApiOperation({ summary: 'Redeliver dead letters, those of each webhook in order.' })
  @ApiAcceptedResponse({ type: RedeliveredDto })
  async redeliver(
    @Body() body: DeadLettersDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<RedeliveredDto> {
    const { limit, cursor, filter } = meant(body);
    const page = await this.deliveries.redeliverDead(filter, limit, cursor, caller);
    return new RedeliveredDto(page);
  }

  @Post('dead-letters::purge')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete dead letters permanently.' })
  @ApiOkResponse({ type: PurgedDto })
  async purge(
    @Body() body: DeadLettersDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<PurgedDto> {
    const { limit, cursor, filter } = meant(body);
    const page = await this.deliveries.purgeDead(filter, limit, cursor, caller);
    return new PurgedDto(page);
  }
}

/** Throws INVALID_PARAMS when a body that names nothing does not say that it means all. */
function meant({ limit, all, cursor, ...filter }: DeadLettersDto): {
  limit: number;
  cursor: string | undefined;
  filter: RequestedDeliveries;
} {
  const named = Object.values(filter).some((value) => value !== undefined);
  if (!named && all !== true) {
    throw invalidField('all', 'must be true, or ids or a filter must be given');
  }
  return { limit, cursor, filter };
}
