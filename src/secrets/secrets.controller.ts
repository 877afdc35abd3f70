import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { SecretBox } from '../common/secret-box.js';
import { SecretWalk } from './secret-walk.js';
import { SecretsDto } from './secrets.dto.js';

@AdminController('secrets', 'api/v1/secrets', 'admin')
export class SecretsController {
  constructor(
    private readonly walk: SecretWalk,
    private readonly secrets: SecretBox,
  ) {}

  @Get()
  @ApiOperation({
    summary:
      'List which keys encrypt the secrets in the database and how many secrets each; the keys themselves are never shown.',
  })
  @ApiOkResponse({ type: SecretsDto })
  async show(): Promise<SecretsDto> {
    return new SecretsDto(this.secrets, await this.walk.count());
  }
}
