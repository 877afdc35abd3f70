import { Inject, type FactoryProvider } from '@nestjs/common';
import { AppConfig } from './app-config.js';

/** Sections of the settings that parts of the hub ask for by themselves. */
const SECTIONS = ['auth', 'push'] as const;
type Section = (typeof SECTIONS)[number];

/** Injects one section of {@link AppConfig}; the parameter's type says what of it is used. */
export function Settings(section: Section): ParameterDecorator {
  return Inject(tokenOf(section));
}

export const SETTINGS_SECTIONS: readonly FactoryProvider[] = SECTIONS.map((section) => ({
  provide: tokenOf(section),
  inject: [AppConfig],
  useFactory: (config: AppConfig) => config[section],
}));

function tokenOf(section: Section): string {
  return `settings.${section}`;
}
