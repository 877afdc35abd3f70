export { AppConfig } from './app-config.js';
export { isLoopback } from './check-settings.js';
export { ConfigError } from './config-error.js';
export { ConfigModule } from './config.module.js';
export type { DeclaredAgent } from './declared-agents.js';
export { GrpcAddress } from './grpc-address.js';
export { type ConfigOverrides, configWith, loadConfig, summarize } from './load-config.js';
export { HUB_VERSION } from './package-info.js';
export { PublicUrl } from './public-url.js';
