import { type AppConfig, ConfigError } from '../config/index.js';
import { readDeclaredComposites } from './composites/declared-composites.service.js';
import { readDeclaredRules } from './rules/declared-rules.service.js';

/**
 * Looks at what the configuration declares of routing before anything is opened. Throws {@link ConfigError} with all
 * that is wrong with rules and composite skills together.
 */
export async function checkDeclaredRouting(config: AppConfig): Promise<void> {
  const looks = await Promise.allSettled([
    readDeclaredRules(config.rules),
    readDeclaredComposites(config.compositeSkills),
  ]);
  const problems = looks.flatMap((look) => {
    if (look.status === 'fulfilled') return [];
    if (look.reason instanceof ConfigError) return look.reason.problems;
    throw look.reason;
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
