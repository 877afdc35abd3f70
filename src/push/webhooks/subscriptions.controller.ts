import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { HeldWebhooks } from '../owners/held-webhooks.js';
import { requestedEndpoint } from '../receivers/push-access.js';
import type { Subscription } from '../registration/webhook.js';
import {
  SubscriptionDto,
  SubscriptionQueryDto,
  SubscriptionTestDto,
} from './subscription-view.dto.js';
import { CreateSubscriptionDto, PatchSubscriptionDto } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { TestSends } from './test-sends.js';
import { RotateWebhookDto } from './webhook-secrets.dto.js';

@AdminController('push', 'api/v1/push/subscriptions', 'push')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly tests: TestSends,
    private readonly held: HeldWebhooks,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create an organization webhook: every matching task is delivered to it from now on.',
  })
  @ApiCreatedResponse({ type: SubscriptionDto })
  async create(
    @Body() body: CreateSubscriptionDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.create(body, caller));
  }

  @Get()
  @ApiOperation({ summary: 'List subscriptions, oldest first.' })
  @ApiOkResponse({ type: PageType(SubscriptionDto) })
  async list(
    @Query() query: SubscriptionQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<SubscriptionDto>> {
    const { limit, cursor, ...requested } = query;
    const endpoint = requestedEndpoint(requested.endpoint, requested.organization, caller);
    const filter = { ...requested, endpoint };
    const page = await this.subscriptions.list(filter, limit, cursor, caller);
    const heldFor = await this.held.of(page.items);
    return { ...page, items: page.items.map((each) => new SubscriptionDto(each, heldFor(each))) };
  }

  @Get(':id(^[^:]+)')
  @ApiOperation({ summary: 'Get a subscription.' })
  @ApiOkResponse({ type: SubscriptionDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.get(id, caller));
  }

  @Patch(':id(^[^:]+)')
  @ApiOperation({
    summary: 'Update a subscription for all its tasks; pending deliveries use the new values.',
  })
  @ApiOkResponse({ type: SubscriptionDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchSubscriptionDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.patch(id, body, caller));
  }

  @Delete(':id(^[^:]+)')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a subscription; its pending deliveries become dead letters.' })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.subscriptions.remove(id, caller);
  }

  @Post(':id(^[^:]+)::pause')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Pause a subscription: events are kept and delivered after it is resumed.',
  })
  @ApiOkResponse({ type: SubscriptionDto })
  async pause(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.pause(id, caller));
  }

  @Post(':id(^[^:]+)::resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Resume a paused or disabled subscription.' })
  @ApiOkResponse({ type: SubscriptionDto })
  async resume(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.resume(id, caller));
  }

  @Post(':id(^[^:]+)::rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the secrets of a subscription, for all its tasks.' })
  @ApiOkResponse({ type: SubscriptionDto })
  async rotate(
    @Param('id') id: string,
    @Body() body: RotateWebhookDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionDto> {
    return this.view(await this.subscriptions.rotate(id, body, caller));
  }

  @Post(':id(^[^:]+)::test')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Send a test request to the subscription and return the result. When it is delivered, the circuit breaker of its receiver closes, and what waits there is sent.',
  })
  @ApiOkResponse({ type: SubscriptionTestDto })
  async test(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<SubscriptionTestDto> {
    const subscription = await this.subscriptions.usable(id, caller);
    return new SubscriptionTestDto(await this.tests.ofSubscription(subscription));
  }

  private async view(subscription: Subscription): Promise<SubscriptionDto> {
    const heldFor = await this.held.of([subscription]);
    return new SubscriptionDto(subscription, heldFor(subscription));
  }
}
