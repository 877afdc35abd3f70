import { isRecord } from '../common/is-record.js';
import {
  LOG_LEVELS,
  LOG_MODULES,
  type LogLevel,
  type LogModule,
  type ModuleLevels,
} from '../common/module-logs.js';
import { Setting, type SettingOptions } from './setting.js';

const ALLOWED = `a mapping from modules (${LOG_MODULES.join(', ')}) to levels (${LOG_LEVELS.join(', ')}); in the environment push=debug,agents=warn`;

/** The setting that gives modules their levels. */
export function logLevels(options: SettingOptions<ModuleLevels>): Setting<ModuleLevels> {
  return new Setting<ModuleLevels>(
    { ...options, faults: (input) => (isRecord(input) ? faultsOf(input) : []) },
    ALLOWED,
    (input, source) => {
      const levels = source === 'environment' && typeof input === 'string' ? inText(input) : input;
      return isRecord(levels) && faultsOf(levels).length === 0 ? levels : undefined;
    },
  );
}

/** What is wrong with levels of modules, each with its place: `.pushh: …`. */
export function faultsOf(levels: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(levels).flatMap(([module, level]) => {
    const faults: string[] = [];
    if (!LOG_MODULES.includes(module as LogModule))
      faults.push(`.${module}: is no module; there are ${LOG_MODULES.join(', ')}`);
    if (!LOG_LEVELS.includes(level as LogLevel))
      faults.push(`.${module}: is not one of ${LOG_LEVELS.join(', ')}`);
    return faults;
  });
}

function inText(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('=', 2).map((part) => part.trim()));
  return Object.fromEntries(
    pairs.filter(([module]) => module !== '').map(([module = '', level = '']) => [module, level]),
  );
}
