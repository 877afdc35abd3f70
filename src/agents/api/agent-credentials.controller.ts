import { Body, Delete, Get, HttpCode, Param, Put, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { OrganizationCredentialsService } from '../registration/organization-credentials.service.js';
import { AgentCredentialsBodyDto } from '../request/agent-credentials.dto.js';
import { AgentCredentialsDto } from './agent-credentials-view.dto.js';

@AdminController('agents', 'api/v1/agents/:id/credentials/:organization', 'agents:organization')
export class AgentCredentialsController {
  constructor(
    private readonly credentials: OrganizationCredentialsService,
    private readonly references: SecretReferences,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get what an agent is called with for an organization, without secrets.',
  })
  @ApiOkResponse({ type: AgentCredentialsDto })
  async get(
    @Param('id') id: string,
    @Param('organization') organization: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AgentCredentialsDto> {
    const own = await this.credentials.get(id, organization, caller);
    return new AgentCredentialsDto(id, organization, own, this.references);
  }

  @Put()
  @ApiOperation({
    summary:
      'Set what an agent is called with for an organization, in place of its own, as a whole.',
  })
  @ApiOkResponse({ type: AgentCredentialsDto })
  @ApiCreatedResponse({ type: AgentCredentialsDto })
  async put(
    @Param('id') id: string,
    @Param('organization') organization: string,
    @Body() body: AgentCredentialsBodyDto,
    @CurrentPrincipal() caller: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AgentCredentialsDto> {
    const { kept, isNew } = await this.credentials.put(id, organization, body, caller);
    void reply.status(isNew ? 201 : 200);
    return new AgentCredentialsDto(id, organization, kept, this.references);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete what an agent is called with for an organization: its own goes there again.',
  })
  @ApiNoContentResponse()
  async remove(
    @Param('id') id: string,
    @Param('organization') organization: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<void> {
    await this.credentials.remove(id, organization, caller);
  }
}
