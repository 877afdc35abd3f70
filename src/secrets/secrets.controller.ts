import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuthGuard, RequireScope } from '../auth/index.js';
import { SecretBox } from '../common/secret-box.js';
import { SecretWalk } from './secret-walk.js';
import { SecretsDto } from './secrets.dto.js';

@ApiTags('secrets')
@ApiBearerAuth()
@Controller('api/v1/secrets')
@UseGuards(AuthGuard)
@RequireScope('admin')
export class SecretsController {
  constructor(
    private readonly walk: SecretWalk,
    private readonly secrets: SecretBox,
  ) {}

  @Get()
  @ApiOperation({
    summary:
      'Tells which keys encrypt the secrets of the database, and how many each; never a key.',
  })
  @ApiOkResponse({ type: SecretsDto })
  async show(): Promise<SecretsDto> {
    return new SecretsDto(this.secrets, await this.walk.count());
  }
}
