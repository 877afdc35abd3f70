import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { A2aModule } from './a2a/index.js';
import { AdminModule } from './admin/index.js';
import { AgentsModule } from './agents/index.js';
import { AnchorOrderModule, AuditModule } from './audit/index.js';
import { AuthModule, PrincipalNamesModule } from './auth/index.js';
import { Draining } from './common/draining.js';
import { Log } from './common/logger.js';
import type { SecretBox } from './common/secret-box.js';
import { type AppConfig, ConfigModule, type ConfigSource } from './config/index.js';
import { ConsoleModule } from './console/index.js';
import { DataModule } from './data/index.js';
import { DatabaseModule } from './database/database.module.js';
import { ExplainModule } from './explain/index.js';
import { HUB_SCHEMA } from './hub-schema.js';
import { LimitsModule } from './limits/index.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { PoliciesModule } from './policies/index.js';
import { PushCommitModule, PushModule } from './push/index.js';
import { RoutingModule } from './routing/index.js';
import { SecretsModule } from './secrets/index.js';
import { type Replacement, SharedModule } from './shared.module.js';
import { SigningModule } from './signing/index.js';
import { TasksModule } from './tasks/index.js';

/** The composition root: the modules of one process, by its role. */
@Module({})
export class AppModule implements OnModuleDestroy {
  constructor(
    private readonly draining: Draining,
    @Inject(Log) private readonly log: Pick<Log, 'info'>,
  ) {}

  static of(
    config: AppConfig,
    log: Log,
    secrets: SecretBox,
    replacements: readonly Replacement[],
    source?: ConfigSource,
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config, source),
        SharedModule.of(log, secrets, replacements),
        DatabaseModule.of(HUB_SCHEMA),
        ObservabilityModule,
        // Gives the signing keys the order of what they sign, so it is there before they are.
        AnchorOrderModule,
        SigningModule,
        // Gives the audit log the names of principals, so it is there before that is.
        PrincipalNamesModule,
        AuditModule,
        AuthModule,
        PoliciesModule,
        LimitsModule,
        SecretsModule,
        AgentsModule,
        RoutingModule,
        // Gives the tasks what takes part in every append, so it is there before they are.
        PushCommitModule,
        TasksModule,
        PushModule,
        DataModule,
        ...(config.role === 'worker' ? [] : [ExplainModule, A2aModule, AdminModule]),
        ...(config.role === 'worker' || !config.console.enabled ? [] : [ConsoleModule]),
      ],
    };
  }

  /** The root module's hook is the first of all: everything else goes on while a stop is announced, and stops knowing that. */
  async onModuleDestroy(): Promise<void> {
    await this.draining.untilPaused();
    this.log.info({}, 'stopping: nothing new begins, and what is under way ends or is handed over');
    this.draining.begin();
  }
}
