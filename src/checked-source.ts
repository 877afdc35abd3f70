import { readDeclaredAgents } from './agents/index.js';
import { readDeclaredExports } from './audit/index.js';
import { readDeclaredHubs, readDeclaredIssuers } from './auth/index.js';
import { checkTogether, ConfigError, type ConfigSource } from './config/index.js';
import { readDeclaredSignIns } from './console/index.js';
import { readDeclaredLimits, readDeclaredPrices } from './limits/index.js';
import { readDeclaredPolicies } from './policies/index.js';
import { checkDeclaredRouting } from './routing/index.js';

/** Throws `ConfigError` with all that is wrong with what the file declares, before anything is opened. */
export async function checked(source: ConfigSource): Promise<ConfigSource> {
  try {
    const config = source.initial;
    const agents = readDeclaredAgents(config.agents.declared);
    const issuers = readDeclaredIssuers(config.auth.issuers);
    const hubs = readDeclaredHubs(config.auth.hubs, config.auth.issuers);
    const signIns = readDeclaredSignIns(config.console.signIn, config.auth.issuers);
    const policies = readDeclaredPolicies(config.policies.declared, config.policies.default);
    const exports = readDeclaredExports(config.audit.export);
    const limits = readDeclaredLimits(config.limits.declared, config.limits.prices);
    const prices = readDeclaredPrices(config.limits.prices);
    await checkTogether([
      exports,
      issuers,
      hubs,
      signIns,
      agents,
      policies,
      limits,
      prices,
      checkDeclaredRouting(config),
    ]);
    return source;
  } catch (error) {
    throw error instanceof ConfigError ? error.in(source.file) : error;
  }
}
