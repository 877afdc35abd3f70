import { Module } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
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
    {
      provide: PrincipalHolds,
      inject: [PrincipalStore, AppConfig],
      useFactory: (store: PrincipalStore, config: AppConfig) =>
        new PrincipalHolds(store, config.auth.keylessGraceMs),
    },
    PrincipalChanges,
    PrincipalsService,
    AuthService,
    HttpAccess,
    {
      provide: KeyWatch,
      inject: [PrincipalStore, Log, Clock],
      useFactory: (store: PrincipalStore, log: Log, clock: Clock) =>
        new KeyWatch(store, log, clock),
    },
    KeysService,
    KeyUses,
    KeyExpiry,
    {
      provide: KeylessWarnings,
      inject: [AppConfig, PrincipalStore, Clock, Log],
      useFactory: (config: AppConfig, store: PrincipalStore, clock: Clock, log: Log) =>
        new KeylessWarnings(config, store, clock, log),
    },
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
