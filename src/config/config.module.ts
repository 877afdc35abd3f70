import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './app-config.js';
import { PublicUrl } from './public-url.js';

/** Provides the frozen {@link AppConfig} to every module. */
@Module({})
export class ConfigModule {
  static of(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: AppConfig, useValue: config }, PublicUrl],
      exports: [AppConfig, PublicUrl],
    };
  }
}
