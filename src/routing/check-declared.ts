import { type AppConfig, checkTogether } from '../config/index.js';
import { readDeclaredComposites } from './composites/declared-composites.service.js';
import { readDeclaredRules } from './rules/declared-rules.service.js';

/**
 * Looks at what the configuration declares of routing before anything is opened. Throws `ConfigError` with all
 * that is wrong with rules and composite skills together.
 */
export function checkDeclaredRouting(config: AppConfig): Promise<void> {
  return checkTogether([
    readDeclaredRules(config.rules),
    readDeclaredComposites(config.compositeSkills),
  ]);
}
