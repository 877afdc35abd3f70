import { HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { Shown } from '../../common/http/fields.js';
import { AgentStopper, type Stopped } from './agent-stopper.js';

/** What killing an agent came to, in delegations: one task may have several. */
export class KilledAgentDto {
  @Shown.Text()
  readonly id: string;

  @Shown.Flag({ description: 'Always false: it receives no new work.' })
  readonly enabled = false;

  @Shown.Num({ description: 'Delegations that were canceled.' })
  readonly canceled: number;

  @Shown.Num({
    description: 'Delegations not sent yet that failed over to the next agent of their route.',
  })
  readonly movedOn: number;

  constructor(id: string, { canceled, movedOn }: Stopped) {
    this.id = id;
    this.canceled = canceled;
    this.movedOn = movedOn;
  }
}

/** The part of the agents' API that concerns what they work on. */
@AdminController('agents', 'api/v1/agents', 'agents:organization')
export class AgentKillController {
  constructor(private readonly stopper: AgentStopper) {}

  // The plain `:id:kill` would also match other verbs after the second colon.
  @Post(':id(^[^:]+)::kill')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Disable an agent and cancel the delegations it works on; the status of each task says so.',
    description:
      'Answers when the end of every delegation is committed; the hub then sends the agent a cancel for each of its tasks. A declared agent is enabled again at the next start, unless its declaration says otherwise.',
  })
  @ApiOkResponse({ type: KilledAgentDto })
  async kill(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<KilledAgentDto> {
    return new KilledAgentDto(id, await this.stopper.stop(id, caller));
  }
}
