import { Module } from '@nestjs/common';
import { SigningModule } from '../signing/index.js';
import { ApiKeyStore } from './api-key-store.js';
import { AuthService } from './auth.service.js';
import { HttpAccess } from './http-access.js';
import { KeyWatch } from './key-watch.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { TypeormApiKeyStore } from './persistence/typeorm-api-key.store.js';
import { SigningKeysController } from './signing-keys.controller.js';

@Module({
  imports: [SigningModule],
  controllers: [KeysController, SigningKeysController],
  providers: [
    { provide: ApiKeyStore, useClass: TypeormApiKeyStore },
    AuthService,
    HttpAccess,
    KeyWatch,
    KeysService,
  ],
  exports: [ApiKeyStore, AuthService, HttpAccess, KeyWatch, KeysService],
})
export class AuthModule {}
