import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { HandedOverDto, HandoverDto } from './handover.dto.js';
import { HandoverService } from './handover.service.js';

/** Here and not with the principals: who may call does not know of webhooks. */
@AdminController('principals', 'api/v1/principals', 'admin')
export class HandoverController {
  constructor(private readonly handover: HandoverService) {}

  @Post(':id(^[^:]+)::handover')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Gives its webhooks and standing subscriptions to another principal.',
    description:
      'Of the same organization, with a valid key; with the scope tasks:organization where they are of tasks that it would not see otherwise. Its tasks stay its own: a new key of it opens them to a successor. Repeated, it moves what came since.',
  })
  @ApiOkResponse({ type: HandedOverDto })
  async give(
    @Param('id') id: string,
    @Body() body: HandoverDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<HandedOverDto> {
    return new HandedOverDto(await this.handover.give(id, body.to, caller.id));
  }
}
