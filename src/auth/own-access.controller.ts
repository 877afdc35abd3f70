import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { CurrentPrincipal } from './admin-handler.js';
import { OwnAccessDto } from './own-access.dto.js';
import type { Principal } from './principal.js';
import { PrincipalStore } from './principal-store.js';

@AdminController('me', 'api/v1/me', 'any')
export class OwnAccessController {
  constructor(private readonly principals: PrincipalStore) {}

  @Get()
  @ApiOperation({ summary: 'Who the caller is for the hub, and what it may do.' })
  @ApiOkResponse({ type: OwnAccessDto })
  async get(@CurrentPrincipal() caller: Principal): Promise<OwnAccessDto> {
    const record = await this.principals.get(caller.id);
    return new OwnAccessDto(caller, record);
  }
}
