import { Module } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { ApiKeyStore } from './api-key-store.js';
import { AuthService } from './auth.service.js';
import { HttpAccess } from './http-access.js';
import { KeyExpiry } from './key-expiry.js';
import { KeyUses } from './key-uses.js';
import { KeyWatch } from './key-watch.js';
import { KeylessWarnings } from './keyless-warnings.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { SqlApiKeyStore } from './persistence/sql-api-key.store.js';
import { SqlPrincipalStore } from './persistence/sql-principal.store.js';
import { PrincipalChanges } from './principal-changes.js';
import { PrincipalHolds } from './principal-holds.js';
import { PrincipalStore } from './principal-store.js';
import { PrincipalsController } from './principals.controller.js';
import { PrincipalsService } from './principals.service.js';

/** The keys in a database, for a command that runs without the hub. */
export const apiKeysIn = (database: Database): ApiKeyStore => new SqlApiKeyStore(database);

@Module({
  controllers: [KeysController, PrincipalsController],
  providers: [
    { provide: ApiKeyStore, useClass: SqlApiKeyStore },
    { provide: PrincipalStore, useClass: SqlPrincipalStore },
    PrincipalHolds,
    PrincipalChanges,
    PrincipalsService,
    AuthService,
    HttpAccess,
    KeyWatch,
    KeysService,
    KeyUses,
    KeyExpiry,
    KeylessWarnings,
  ],
  exports: [
    ApiKeyStore,
    AuthService,
    HttpAccess,
    KeyWatch,
    KeysService,
    PrincipalChanges,
    PrincipalHolds,
    PrincipalStore,
  ],
})
export class AuthModule {}
