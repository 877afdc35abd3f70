import { LOG_LEVELS } from '../../common/module-logs.js';
import { PRINCIPAL_FORMS } from '../../common/principal-digest.js';
import { logLevels } from '../log-levels.js';
import { logPatterns } from '../log-patterns.js';
import { choice, flag } from '../setting-kinds.js';
import { Section } from '../setting.js';

/** The log. */
export const LOG_SETTINGS = {
  log: new Section('The log, on standard output.', {
    level: choice(LOG_LEVELS, {
      default: 'info',
      description: 'The least severe entries that are written.',
    }),
    levels: logLevels({
      default: {},
      description:
        'The levels of single modules, in place of level; in a file a mapping (push: debug). Modules are the folders of the hub; observability writes the lines of requests, hub is what is in no folder. While the hub runs PATCH /api/v1/logging sets them for a while.',
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
    tasks: flag({
      default: true,
      description:
        'Writes a line at level info for each task that has ended: its id, state and reason, its route and agents, how long it took, its caller and trace.',
    }),
    redact: new Section('What is left out of the log. Credentials are never in it.', {
      principals: choice(PRINCIPAL_FORMS, {
        default: 'id',
        description:
          'How principals are written. digest: as digest: and 32 hexadecimal digits, made with a key of this hub; the same as in its audit log.',
      }),
      patterns: logPatterns({
        default: [],
        description:
          'What they match in free texts (messages, errors, names) is replaced by ***. Of each line the first 2000 characters of these texts are looked at; the rest is left out. Upper and lower case differ, except after (?i). In a variable, where commas part the patterns, write \\x2C for a comma.',
      }),
    }),
  }),
} as const;
