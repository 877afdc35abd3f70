import {
  type DynamicModule,
  Global,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig } from '../config/index.js';
import { Database } from './database.js';
import { DiskWatch } from './disk-watch.js';
import { HubSettings } from './hub-settings.js';
import { openDatabase } from './open-database.js';
import { Schema } from './schema.js';
import { WorkerWatch } from './worker-watch.js';
import { logOf } from '../common/module-logs.js';

/**
 * Provides the open {@link Database} and {@link HubSettings} to every module. `Log`, `IdSource` and
 * `SecretBox` come from the root module.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly disk: DiskWatch,
  ) {}

  static of(schema: Schema): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        logOf('database'),
        { provide: Schema, useValue: schema },
        {
          provide: Database,
          inject: [AppConfig, Log],
          useFactory: (config: AppConfig, log: Log) =>
            openDatabase(config.database, schema, { log }),
        },
        {
          provide: HubSettings,
          inject: [Database, IdSource, SecretBox],
          useFactory: (database: Database, ids: IdSource, secrets: SecretBox) =>
            new HubSettings(database, ids, secrets),
        },
        {
          provide: DiskWatch,
          inject: [Database, AppConfig, Clock, Log],
          useFactory: (database: Database, config: AppConfig, clock: Clock, log: Log) =>
            new DiskWatch(database, config.database.minFree, clock, log),
        },
        {
          // Whoever starts to work starts it, when it does.
          provide: WorkerWatch,
          inject: [Database, IdSource, AppConfig, Clock, Log],
          useFactory: (
            database: Database,
            ids: IdSource,
            { role }: AppConfig,
            clock: Clock,
            log: Log,
          ) => new WorkerWatch(database, ids.next(), role !== 'api', clock, log),
        },
      ],
      exports: [Database, HubSettings, DiskWatch, WorkerWatch, Schema],
    };
  }

  /** Global modules come first: whoever asks has the first look. Not while providers are made: a start that fails leaves no timer behind. */
  async onModuleInit(): Promise<void> {
    await this.disk.start();
  }

  /** The last hook of Nest: whoever still writes while shutting down does so in an earlier one. */
  async onApplicationShutdown(): Promise<void> {
    await this.disk.stop();
    await this.database.close();
  }
}
