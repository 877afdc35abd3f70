import { isDeepStrictEqual } from 'node:util';
import type { AppConfig } from './app-config.js';
import { memberOf } from './load-config.js';
import { settingsOf } from './setting.js';
import { SETTINGS } from './settings.js';

/** What is put in force while the hub runs; all other settings count from the next start on. */
const LIVE: ReadonlySet<string> = new Set([
  'policies.declared',
  'limits.declared',
  'limits.prices',
  'rules',
  'subscriptions',
  'compositeSkills',
  'agents.declared',
]);

/** The keys of the settings that differ from those at the start and count from the next one on. */
export function needRestart(atStart: AppConfig, now: AppConfig): string[] {
  return [...settingsOf(SETTINGS)].flatMap(({ path, key, setting }) => {
    // As they are written: what a file holds that is followed by itself may differ.
    const [before, after] = [atStart, now].map((config) =>
      setting.write(path.reduce<unknown>(memberOf, config)),
    );
    return LIVE.has(key) || isDeepStrictEqual(before, after) ? [] : [key];
  });
}
