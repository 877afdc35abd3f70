import { invalidField } from '../../../common/hub-error.js';
import { ID } from '../../../common/id-pattern.js';
import { required } from './rules.js';
import type { Scheme } from './scheme.js';

/** An auth profile, which the credentials name. */
export const profile = {
  name: 'profile',
  client: {
    label: 'Profile',
    aliases: ['profile'],
    read: (given, names, field) => {
      const name = required(given, names, field);
      if (!ID.test(name)) throw invalidField(field, 'must be the name of an auth profile');
      return { scheme: 'profile', credentials: null, profile: name };
    },
    prove: ({ byProfile }) => byProfile(),
  },
} as const satisfies Scheme;
