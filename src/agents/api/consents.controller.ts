import { Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { PrincipalNames } from '../../audit/index.js';
import {
  CurrentPrincipal,
  EVERYTHING,
  hasScope,
  type Principal,
  type Visibility,
} from '../../auth/index.js';
import { readCursor } from '../../common/cursor.js';
import { AdminController, RequireEither } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { ConsentEnding } from '../client/authentication/consent-ending.js';
import { ConsentStore } from '../consents/consent-store.js';
import { ConsentDto, ConsentQueryDto } from './consent.dto.js';

@AdminController('consents', 'api/v1/consents', 'access:organization')
export class ConsentsController {
  constructor(
    private readonly store: ConsentStore,
    private readonly ending: ConsentEnding,
    private readonly names: PrincipalNames,
  ) {}

  @Get()
  @RequireEither('a2a', 'access:organization')
  @ApiOperation({
    summary:
      'List consents of users to calls of agents in their name: with a2a alone those of the caller.',
  })
  @ApiOkResponse({ type: PageType(ConsentDto) })
  async list(
    @Query() { limit, cursor, ...filter }: ConsentQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<ConsentDto>> {
    const after =
      cursor === undefined ? undefined : readCursor('consents', cursor, (id) => id !== '');
    const page = await this.store.list(visibleTo(caller), filter, limit, after);
    const names = await this.names.of(page.items.map(({ principalId }) => principalId));
    return { ...page, items: page.items.map((consent) => new ConsentDto(consent, names)) };
  }

  @Delete(':id')
  @RequireEither('a2a', 'access:organization')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'End a consent: the agent is not called with it any more, and its tokens are ended at the provider where that can (RFC 7009).',
  })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<void> {
    if (!(await this.ending.end(id, visibleTo(caller)))) {
      throw new HubError('NOT_FOUND', `There is no consent ${id}.`);
    }
  }
}

function visibleTo(caller: Principal): Visibility {
  if (hasScope(caller, 'access')) return EVERYTHING;
  const { id: principalId, organization } = caller;
  return hasScope(caller, 'access:organization')
    ? { kind: 'organization', organization }
    : { kind: 'principal', principalId, organization };
}
