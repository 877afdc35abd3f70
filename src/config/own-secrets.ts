import type { AppConfig } from './app-config.js';
import { memberOf } from './load-config.js';
import { settingsOf } from './setting.js';
import { SETTINGS } from './settings.js';

/** The secrets in the settings that are for nobody but the hub, as texts. */
export function ownSecrets(config: AppConfig): string[] {
  return [...settingsOf(SETTINGS)].flatMap(({ path, setting }) =>
    setting.ownSecrets(path.reduce<unknown>(memberOf, config)),
  );
}
