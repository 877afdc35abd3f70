import { days } from '../setting-kinds.js';
import { Section } from '../setting.js';

/** What can be seen of the hub's work. */
export const OBSERVABILITY_SETTINGS = {
  activity: new Section('What the hub counts for its overview; docs/operate.md.', {
    retentionDays: days({
      min: 1,
      max: 90,
      default: 7,
      description:
        'How long it is kept how many tasks, calls and deliveries there were, by the quarter of an hour; by the minute for three hours.',
    }),
  }),
} as const;
