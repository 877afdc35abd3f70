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
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { mapInSlices } from '../../common/slices.js';
import type { Agent } from '../agent.js';
import { EndpointMemory } from '../client/endpoint-memory.js';
import { AgentHours } from '../health/agent-hours.js';
import { AgentMonitor } from '../health/agent-monitor.js';
import { AgentsService } from '../registration/agents.service.js';
import { OrganizationCredentialsService } from '../registration/organization-credentials.service.js';
import { AgentDeviations } from '../registry/agent-deviations.js';
import { PatchAgentDto } from '../request/patch-agent.dto.js';
import { RegisterAgentDto } from '../request/register-agent.dto.js';
import { AgentCardsDto } from './agent-card.dto.js';
import { AgentsByHealth } from './agents-by-health.js';
import { AgentQueryDto } from './agent-query.dto.js';
import {
  AgentDto,
  ListedAgentDto,
  RefreshedAgentDto,
  RegisteredAgentDto,
} from './agent-view.dto.js';

@AdminController('agents', 'api/v1/agents', 'agents:organization')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly endpoints: EndpointMemory,
    private readonly monitor: AgentMonitor,
    private readonly deviations: AgentDeviations,
    private readonly references: SecretReferences,
    private readonly own: OrganizationCredentialsService,
    private readonly calls: AgentHours,
    private readonly byHealth: AgentsByHealth,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Register an agent; the answer reports what the hub will call.' })
  @ApiCreatedResponse({ type: RegisteredAgentDto })
  async register(
    @Body() body: RegisterAgentDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<RegisteredAgentDto> {
    const registration = await this.agents.register(body, caller);
    const { agent } = registration;
    return new RegisteredAgentDto(registration, this.monitor.viewOf(agent.id), this.references);
  }

  @Get()
  @ApiOperation({ summary: 'List agents by id, filtered.' })
  @ApiOkResponse({ type: PageType(ListedAgentDto) })
  async list(
    @Query() query: AgentQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<ListedAgentDto>> {
    const { limit, cursor, state, health, ...filter } = query;
    const enabled = state === undefined ? undefined : state === 'enabled';
    const ids = health === undefined ? undefined : await this.byHealth.ids(health);
    const page = await this.agents.list({ ...filter, enabled, ids }, caller, limit, cursor);
    const hourOf = await this.calls.of(page.items.map(({ id }) => id));
    // One of many agents is written in a tenth of a millisecond, with its skills and its health.
    const items = await mapInSlices(
      page.items,
      (agent) => new ListedAgentDto(hourOf(agent.id), ...this.parts(agent, caller)),
    );
    return { ...page, items };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get an agent.' })
  @ApiOkResponse({ type: AgentDto })
  async get(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<AgentDto> {
    return this.shown(await this.agents.get(id, caller), caller);
  }

  @Get(':id/card')
  @ApiOperation({ summary: 'Get the card of an agent and what changed in it last.' })
  @ApiOkResponse({ type: AgentCardsDto })
  async card(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AgentCardsDto> {
    return new AgentCardsDto(await this.agents.cards(id, caller));
  }

  @Patch(':id')
  @ApiOperation({ summary: "Change the operator's settings of an agent." })
  @ApiOkResponse({ type: AgentDto })
  async patch(
    @Param('id') id: string,
    @Body() body: PatchAgentDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AgentDto> {
    return this.shown(await this.agents.patch(id, body, caller), caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an agent; tasks it is working on can still be canceled for 30 days.',
  })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    await this.agents.remove(id, caller);
  }

  // The plain `:id:refresh` would also match other verbs after the second colon.
  @Post(':id(^[^:]+)::refresh')
  @HttpCode(200)
  @ApiOperation({ summary: "Refresh the agent's card; the answer reports what changed." })
  @ApiOkResponse({ type: RefreshedAgentDto })
  async refresh(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<RefreshedAgentDto> {
    const refreshed = await this.agents.refresh(id, caller);
    return new RefreshedAgentDto(
      refreshed,
      this.monitor.viewOf(id),
      this.deviations.of(refreshed.agent),
      this.references,
      this.own.organizationsOf(id, caller),
    );
  }

  private shown(agent: Agent, caller: Principal): AgentDto {
    return new AgentDto(...this.parts(agent, caller));
  }

  /** What an agent is shown by. */
  private parts(agent: Agent, caller: Principal): ConstructorParameters<typeof AgentDto> {
    return [
      agent,
      this.monitor.viewOf(agent.id),
      this.deviations.of(agent),
      this.references,
      this.endpoints.now(agent),
      this.own.organizationsOf(agent.id, caller),
    ];
  }
}
