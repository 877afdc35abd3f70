import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './app-config.js';
import { GrpcAddress } from './grpc-address.js';
import { PublicUrl } from './public-url.js';

/** Provides the frozen {@link AppConfig} to every module. */
@Module({})
export class ConfigModule {
  static of(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: AppConfig, useValue: config }, PublicUrl, GrpcAddress],
      exports: [AppConfig, PublicUrl, GrpcAddress],
    };
  }
}
