import { Body, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { SigningService } from './signing.service.js';
import { AdminController } from '../common/http/admin-controller.js';
import { RotateSigningKeyDto, SigningKeyDto, SigningKeyPageDto } from './signing-key.dto.js';

@AdminController('signing keys', 'api/v1/signing-keys', 'admin')
export class SigningKeysController {
  constructor(private readonly signing: SigningService) {}

  @Get()
  @ApiOperation({
    summary: 'List the signing keys of the hub, newest first, expired ones included.',
  })
  @ApiOkResponse({ type: SigningKeyPageDto })
  async list(): Promise<SigningKeyPageDto> {
    const keys = await this.signing.list();
    return { items: keys.map((key) => new SigningKeyDto(key)), nextCursor: null };
  }

  @Post()
  @ApiOperation({ summary: 'Rotate the signing key: create a new one that takes over.' })
  @ApiCreatedResponse({ type: SigningKeyDto })
  async rotate(@Body() body: RotateSigningKeyDto): Promise<SigningKeyDto> {
    return new SigningKeyDto(await this.signing.rotate(body.publishFirst));
  }

  @Delete(':kid')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'Revoke a signing key permanently; if it is the current one, a new key takes over at once.',
  })
  @ApiNoContentResponse()
  async revoke(@Param('kid') kid: string): Promise<void> {
    await this.signing.revoke(kid);
  }
}
