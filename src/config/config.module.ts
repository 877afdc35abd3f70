import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './app-config.js';
import { ConfigChanges } from './config-changes.js';
import { ConfigSource, FixedConfigSource } from './config-source.js';
import { GrpcAddress } from './grpc-address.js';
import { ListenerTls } from './listener-tls.js';
import { OwnAddress } from './own-address.js';
import { PublicUrl } from './public-url.js';
import { SETTINGS_SECTIONS } from './settings-section.js';
import { logOf } from '../common/module-logs.js';

/** Provides the frozen {@link AppConfig} to every module. */
@Module({})
export class ConfigModule {
  /** `source` is where `config` was read; without one it stays as it is. */
  static of(
    config: AppConfig,
    source: ConfigSource = new FixedConfigSource(config),
  ): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [
        logOf('config'),
        { provide: AppConfig, useValue: config },
        { provide: ConfigSource, useValue: source },
        ...SETTINGS_SECTIONS,
        ConfigChanges,
        ListenerTls,
        PublicUrl,
        GrpcAddress,
        OwnAddress,
      ],
      exports: [
        AppConfig,
        ...SETTINGS_SECTIONS.map(({ provide }) => provide),
        ConfigChanges,
        ListenerTls,
        PublicUrl,
        GrpcAddress,
        OwnAddress,
      ],
    };
  }
}
