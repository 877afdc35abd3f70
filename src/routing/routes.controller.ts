import { Body, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../auth/index.js';
import { AdminController } from '../common/http/admin-controller.js';
import { ChangesNothing } from '../common/http/audited-route.js';
import { readDirective } from '../protocol/routing-extension.js';
import { DryRunDto } from './dry-run.dto.js';
import { dryRunMessage } from './dry-run-message.js';
import { DryRunRouteDto } from './route.dto.js';
import { RoutingService } from './routing.service.js';
import { RuleDryRuns } from './rules/rule-dry-runs.js';

@AdminController('routes', 'api/v1', 'a2a')
export class RoutesController {
  constructor(
    private readonly routing: RoutingService,
    private readonly dryRuns: RuleDryRuns,
  ) {}

  @Post('routes::dry-run')
  @ChangesNothing()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Dry run: report which agents a message would be routed to and why, without sending it.',
  })
  @ApiOkResponse({ type: DryRunRouteDto })
  async dryRun(
    @Body() body: DryRunDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<DryRunRouteDto> {
    const message = dryRunMessage(body.message);
    const request = {
      agentId: body.tenant ?? undefined,
      extensions: body.extensions ?? [],
      message,
      metadata: body.metadata,
      directive: readDirective(message.metadata, body.metadata, optionsOf(body)),
      configuration: { acceptedOutputModes: body.acceptedOutputModes ?? [] },
    };
    return this.dryRuns.run(body, principal, (caller, rules, noteExcluded) =>
      this.routing.route(
        { ...request, principal: caller },
        body.affinity ?? [],
        rules,
        [],
        noteExcluded,
      ),
    );
  }
}

/** The routing options in the body itself; they override those in metadata. */
function optionsOf(body: DryRunDto): Record<string, unknown> {
  const { agentId, skillId, tags, match, strategy, require, quorum, maxAgents, maxCalls } = body;
  const { deadlineSeconds, steps, synthesizer } = body;
  return {
    agentId,
    skillId,
    tags,
    match,
    strategy,
    require,
    quorum,
    deadlineSeconds,
    maxAgents,
    maxCalls,
    steps,
    synthesizer,
  };
}
