import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { PrincipalNames } from '../../audit/index.js';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { HeldWebhooks } from '../owners/held-webhooks.js';
import { requestedEndpoint } from '../receivers/push-access.js';
import { ReceiverGate } from '../receivers/receiver-gate.js';
import type { TaskWebhook } from '../registration/webhook.js';
import {
  CreateWebhookDto,
  PatchWebhookDto,
  replayStartOf,
  ReplayWebhookDto,
  WebhookQueryDto,
} from './task-webhook.dto.js';
import { TaskWebhooksService } from './task-webhooks.service.js';
import { TestSends } from './test-sends.js';
import { ReceiverVerificationDto } from './verification.dto.js';
import { newSecretsOf, RotateWebhookDto, secretsOf } from './webhook-secrets.dto.js';
import { ReplayDto, TestSendDto, WebhookDetailDto, WebhookDto } from './webhook-view.dto.js';

@AdminController('push', 'api/v1/push', 'push')
export class TaskWebhooksController {
  constructor(
    private readonly webhooks: TaskWebhooksService,
    private readonly tests: TestSends,
    private readonly gate: ReceiverGate,
    private readonly held: HeldWebhooks,
    private readonly names: PrincipalNames,
  ) {}

  @Get('configs')
  @ApiOperation({ summary: 'List the webhooks of tasks, newest first.' })
  @ApiOkResponse({ type: PageType(WebhookDto) })
  async list(
    @Query() query: WebhookQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<WebhookDto>> {
    const { limit, cursor, owner, endpoint, ...others } = query;
    const filter = {
      ...others,
      principalId: owner,
      endpoint: requestedEndpoint(endpoint, query.organization, caller),
    };
    const page = await this.webhooks.list(filter, limit, cursor, caller);
    const heldFor = await this.held.of(page.items);
    const names = await this.namesOf(page.items);
    const items = page.items.map((each) => new WebhookDto(each, heldFor(each), names));
    return { ...page, items };
  }

  @Post('configs')
  @ApiOperation({
    summary: 'Register a webhook for a task; the current state of the task is delivered once.',
  })
  @ApiCreatedResponse({ type: WebhookDto })
  async create(
    @Body() body: CreateWebhookDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<WebhookDto> {
    const requested = { ...body, ...newSecretsOf(body) };
    return this.view(await this.webhooks.create(requested, caller));
  }

  @Get('configs/:id(^[^:]+)')
  @ApiOperation({ summary: 'Get a webhook and its delivery progress.' })
  @ApiOkResponse({ type: WebhookDetailDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<WebhookDetailDto> {
    const { webhook, progress } = await this.webhooks.get(id, caller);
    const heldFor = await this.held.of([webhook]);
    return new WebhookDetailDto(webhook, heldFor(webhook), await this.namesOf([webhook]), progress);
  }

  @Patch('configs/:id(^[^:]+)')
  @ApiOperation({
    summary: 'Change the URL of a webhook, or which events are delivered to it.',
    description:
      'Secrets belong to the scheme, host and port they were given for: a URL with another one requires them to be given again, or removed with null.',
  })
  @ApiOkResponse({ type: WebhookDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchWebhookDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<WebhookDto> {
    const { url, events } = body;
    const requested = { url, events, ...secretsOf(body) };
    return this.view(await this.webhooks.patch(id, requested, caller));
  }

  @Delete('configs/:id(^[^:]+)')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a webhook; its pending deliveries become dead letters.' })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.webhooks.remove(id, caller);
  }

  @Post('configs/:id(^[^:]+)::pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Pause a webhook: events are kept and delivered after it is resumed.' })
  @ApiOkResponse({ type: WebhookDto })
  async pause(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<WebhookDto> {
    return this.view(await this.webhooks.pause(id, caller));
  }

  @Post('configs/:id(^[^:]+)::resume')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Resume a webhook. A paused one receives the events it missed; a disabled one begins with the current state of the task.',
  })
  @ApiOkResponse({ type: WebhookDto })
  async resume(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<WebhookDto> {
    return this.view(await this.webhooks.resume(id, caller));
  }

  @Post('configs/:id(^[^:]+)::rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace the secrets of a webhook; pending deliveries are sent with the new ones.',
  })
  @ApiOkResponse({ type: WebhookDto })
  async rotate(
    @Param('id') id: string,
    @Body() body: RotateWebhookDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<WebhookDto> {
    const { keepSigningKeys } = body;
    const requested = { keepSigningKeys, ...secretsOf(body) };
    return this.view(await this.webhooks.rotate(id, requested, caller));
  }

  @Post('configs/:id(^[^:]+)::replay')
  @HttpCode(202)
  @ApiOperation({ summary: 'Replay the events since a time or a sequence number.' })
  @ApiAcceptedResponse({ type: ReplayDto })
  async replay(
    @Param('id') id: string,
    @Body() body: ReplayWebhookDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<ReplayDto> {
    return new ReplayDto(await this.webhooks.replay(id, replayStartOf(body), caller));
  }

  @Post('configs/:id(^[^:]+)::verify')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ask the receiver whether it agrees to be called.',
    description:
      'OPTIONS with WebHook-Request-Origin; it agrees by WebHook-Allowed-Origin. All webhooks of the organization at that scheme, host and port are then sent without the limits of push.unverified. A receiver that has not agreed is asked every ten seconds at most (429).',
  })
  @ApiOkResponse({ type: ReceiverVerificationDto })
  async verify(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<ReceiverVerificationDto> {
    return new ReceiverVerificationDto(
      await this.gate.verify(await this.webhooks.find(id, caller)),
    );
  }

  @Post('configs/:id(^[^:]+)::test')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Send a test request at once, in the same way as a delivery. When it is delivered, the circuit breaker of its receiver closes, and what waits there is sent.',
  })
  @ApiOkResponse({ type: TestSendDto })
  async test(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<TestSendDto> {
    return new TestSendDto(await this.tests.ofTask(await this.webhooks.find(id, caller)));
  }

  private async view(config: TaskWebhook): Promise<WebhookDto> {
    const heldFor = await this.held.of([config]);
    return new WebhookDto(config, heldFor(config), await this.namesOf([config]));
  }

  private namesOf(webhooks: readonly TaskWebhook[]): Promise<ReadonlyMap<string, string>> {
    return this.names.of(webhooks.map(({ principalId }) => principalId));
  }
}
