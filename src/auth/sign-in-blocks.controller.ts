import { Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { readCursor } from '../common/cursor.js';
import { AdminController } from '../common/http/admin-controller.js';
import { Shown } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import { fill } from '../common/http/view.js';
import { HubError } from '../common/hub-error.js';
import type { Page } from '../common/page.js';
import { type SignInBlock, SignInBlocks } from './sign-in-blocks.js';

export class SignInBlockDto {
  @Shown.Text({
    description:
      'A keyed digest, from which the caller cannot be found out. The log names it when it refuses a sign-in.',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  })
  readonly id!: string;

  @Shown.Time()
  readonly createdAt!: string;

  constructor(block: SignInBlock) {
    fill<SignInBlockDto>(this, block);
  }
}

@AdminController('principals', 'api/v1/sign-in-blocks', 'access')
export class SignInBlocksController {
  constructor(private readonly blocks: SignInBlocks) {}

  @Get()
  @ApiOperation({ summary: 'List the blocks that deletions of data have left.' })
  @ApiOkResponse({ type: PageType(SignInBlockDto) })
  async list(@Query() { limit, cursor }: PageQueryDto): Promise<Page<SignInBlockDto>> {
    const after =
      cursor === undefined ? undefined : readCursor('sign-in-blocks', cursor, (id) => id !== '');
    const page = await this.blocks.list(limit, after);
    return { ...page, items: page.items.map((block) => new SignInBlockDto(block)) };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Lift a block: whoever it is for may sign in again, as a new principal.',
  })
  @ApiNoContentResponse()
  async remove(@Param('id') id: string): Promise<void> {
    if (!(await this.blocks.lift(id))) throw new HubError('NOT_FOUND', `There is no block ${id}.`);
  }
}
