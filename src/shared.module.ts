import {
  type DynamicModule,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { Clock, SystemClock } from './common/clock.js';
import { Draining } from './common/draining.js';
import { Egress, egressOptions } from './common/egress/egress.js';
import { SystemResolver } from './common/egress/resolver.js';
import { WebhookEgress } from './common/egress/webhook-egress.js';
import { KeySets } from './common/jwks/key-sets.js';
import { IdSource, SystemIdSource } from './common/ids.js';
import { Log } from './common/logger.js';
import { ModuleLogs } from './common/module-logs.js';
import { SecretBox } from './common/secret-box.js';
import { Tracing } from './common/tracing/tracing.js';
import { SecretReferences } from './common/secret-references/secret-references.js';
import { AppConfig, OwnAddress, threadPoolSize } from './config/index.js';
import { Metrics } from './observability/metrics.js';
import { openTracing } from './observability/tracing/open-tracing.js';
import { KeptReferences } from './secrets/index.js';

/** A provider that has a token of its own. */
export type Replacement = Extract<Provider, { provide: unknown }>;

/** What every module may ask for. Tests replace single providers by their token. */
@Module({})
export class SharedModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly egress: Egress,
    private readonly webhooks: WebhookEgress,
    private readonly tracing: Tracing,
  ) {}

  static of(log: Log, secrets: SecretBox, replacements: readonly Replacement[]): DynamicModule {
    const defaults: Replacement[] = [
      { provide: Clock, useClass: SystemClock },
      { provide: IdSource, useClass: SystemIdSource },
      { provide: Log, useValue: log },
      {
        provide: ModuleLogs,
        inject: [Log, AppConfig],
        useFactory: (root: Log, { log: { level, levels } }: AppConfig) =>
          new ModuleLogs(root, level, levels),
      },
      { provide: SecretBox, useValue: secrets },
      { provide: Draining, useClass: Draining },
      { provide: KeySets, useClass: KeySets },
      { provide: SecretReferences, useClass: KeptReferences },
      { provide: SystemResolver, useFactory: () => new SystemResolver(threadPoolSize()) },
      {
        provide: Egress,
        inject: [AppConfig, OwnAddress, SystemResolver],
        useFactory: ({ egress }: AppConfig, own: OwnAddress, resolver: SystemResolver) =>
          new Egress({ ...egressOptions(egress), resolver, isOwn: (url) => own.has(url) }),
      },
      {
        provide: WebhookEgress,
        inject: [AppConfig, OwnAddress, SystemResolver],
        useFactory: ({ egress, push }: AppConfig, own: OwnAddress, resolver: SystemResolver) =>
          WebhookEgress.of(push.allow, {
            ...egressOptions(egress),
            resolver,
            isOwn: (url) => own.has(url),
          }),
      },
      {
        provide: Tracing,
        inject: [AppConfig, Egress, Clock, Log, Metrics, IdSource],
        useFactory: openTracing,
      },
    ];
    const replaced = new Set(replacements.map((provider) => provider.provide));
    const kept = defaults.filter((provider) => !replaced.has(provider.provide));
    return {
      module: SharedModule,
      global: true,
      providers: [...kept, ...replacements],
      exports: [...kept, ...replacements].map((provider) => provider.provide),
    };
  }

  onModuleInit(): void {
    this.tracing.start();
  }

  async onApplicationShutdown(): Promise<void> {
    // What the other modules did until now is sent first.
    await this.tracing.close();
    await Promise.all([this.egress.close(), this.webhooks.close()]);
  }
}
