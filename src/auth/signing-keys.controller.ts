import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { SigningService } from '../signing/index.js';
import { AuthGuard, RequireScope } from './auth.guard.js';
import { RotateSigningKeyDto, SigningKeyDto, SigningKeyPageDto } from './signing-key.dto.js';

/** Here and not with the keys: what signs does not know who may call. */
@ApiTags('signing keys')
@ApiBearerAuth()
@Controller('api/v1/signing-keys')
@UseGuards(AuthGuard)
@RequireScope('admin')
export class SigningKeysController {
  constructor(private readonly signing: SigningService) {}

  @Get()
  @ApiOperation({ summary: 'Lists the keys the hub signs with, newest first, expired ones too.' })
  @ApiOkResponse({ type: SigningKeyPageDto })
  async list(): Promise<SigningKeyPageDto> {
    const keys = await this.signing.list();
    return { items: keys.map((key) => new SigningKeyDto(key)), nextCursor: null };
  }

  @Post()
  @ApiOperation({ summary: 'Makes a new key that takes over.' })
  @ApiCreatedResponse({ type: SigningKeyDto })
  async rotate(@Body() body: RotateSigningKeyDto): Promise<SigningKeyDto> {
    return new SigningKeyDto(await this.signing.rotate(body.publishFirst));
  }

  @Delete(':kid')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revokes a key for ever; when it signs, a new one takes over at once.' })
  @ApiNoContentResponse()
  async revoke(@Param('kid') kid: string): Promise<void> {
    await this.signing.revoke(kid);
  }
}
