import { Body, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { ChangesNothing } from '../../common/http/audited-route.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { AgentsService } from '../registration/agents.service.js';
import { RegisterAgentDto } from '../request/register-agent.dto.js';
import { AgentCheckDto } from './check.dto.js';

@AdminController('agents', 'api/v1', 'agents:organization')
export class AgentCheckController {
  constructor(private readonly agents: AgentsService) {}

  @Post('agents::check')
  @ChangesNothing()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Check an agent without registering it: read its card and report what the hub would call; with `probe`, send one message and report how the agent behaves.',
  })
  @ApiOkResponse({ type: AgentCheckDto })
  async check(
    @Body() body: RegisterAgentDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AgentCheckDto> {
    return new AgentCheckDto(await this.agents.check(body, caller));
  }
}
