import { describe, expect, it } from '@jest/globals';
import { SystemIdSource } from './ids.js';
import { isUuid } from './uuid.js';

describe('isUuid', () => {
  it('knows ids that the hub makes', () => {
    expect(isUuid(new SystemIdSource().next())).toBe(true);
  });

  it.each(['', '-'.repeat(36), 'a'.repeat(36), '01A200A3-2FE0-74AD-8CAA-C35B55AD73C4'])(
    'does not take %j for one',
    (text) => {
      expect(isUuid(text)).toBe(false);
    },
  );
});
