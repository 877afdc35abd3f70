import { choice, flag } from '../setting-kinds.js';
import { Section } from '../setting.js';

/** The log. */
export const LOG_SETTINGS = {
  log: new Section('The log, on standard output.', {
    level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'The least severe entries that are written.',
    }),
    format: choice(['auto', 'json', 'pretty'], {
      default: 'auto',
      description:
        'json: one JSON object per line. pretty: lines for people. auto: pretty where standard output is a terminal, else json.',
    }),
    requests: flag({
      default: true,
      description:
        'Writes a line at level info for each request that has ended: its id, caller, operation, task, status and time. Those of health and metrics are at level debug; failures inside the hub are always written.',
    }),
  }),
} as const;
