import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { HandedOverDto, HandoverDto } from './handover.dto.js';
import { HandoverService } from './handover.service.js';

/** Here and not with the principals: who may call does not know of webhooks. */
@AdminController('principals', 'api/v1/principals', 'access')
export class HandoverController {
  constructor(private readonly handover: HandoverService) {}

  @Post(':id(^[^:]+)::handover')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Hand the webhooks and subscriptions of a principal over to another principal.',
    description:
      'The other principal must be of the same organization and have a valid key, with the scope tasks:organization for webhooks of tasks it could not see otherwise. Tasks are not handed over: a new key of this principal gives a successor access to them. A repeated call moves what was created since.',
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
