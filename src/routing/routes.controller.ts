import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuthGuard, CurrentPrincipal, RequireScope, type Principal } from '../auth/index.js';
import { Message } from '../protocol/a2a.js';
import { readDirective, type RoutingDirective } from '../protocol/routing-extension.js';
import { DryRunDto, RouteDto } from './dry-run.dto.js';
import { RoutingService } from './routing.service.js';

@ApiTags('routes')
@ApiBearerAuth()
@Controller('api/v1')
@UseGuards(AuthGuard)
@RequireScope('a2a')
export class RoutesController {
  constructor(private readonly routing: RoutingService) {}

  @Post('routes::dry-run')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Answers which agents a message would go to and why, and sends nothing.',
  })
  @ApiOkResponse({ type: RouteDto })
  dryRun(@Body() body: DryRunDto, @CurrentPrincipal() principal: Principal): RouteDto {
    const message = Message.fromJSON(body.message ?? {});
    return this.routing.route(
      {
        principal,
        agentId: body.tenant,
        extensions: body.extensions ?? [],
        message,
        directive: { ...readDirective(message.metadata, body.metadata), ...wishesOf(body) },
        configuration: { acceptedOutputModes: body.acceptedOutputModes ?? [] },
      },
      body.affinity ?? [],
    );
  }
}

/** The wishes that stand in the body itself; they win over those in metadata. */
function wishesOf(body: DryRunDto): RoutingDirective {
  const { agentId, skillId, tags, match, strategy, require, deadlineSeconds, maxAgents } = body;
  const wishes = { agentId, skillId, tags, match, strategy, require, deadlineSeconds, maxAgents };
  return Object.fromEntries(
    Object.entries(wishes).filter(([, value]) => value !== undefined && value !== null),
  );
}
