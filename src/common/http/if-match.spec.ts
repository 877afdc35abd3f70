import { describe, expect, it } from '@jest/globals';
import { refuseOtherThan, versionsWanted, versionTag } from './if-match.js';

describe('If-Match', () => {
  it('allows any version without the header and with *', () => {
    expect(versionsWanted(undefined)).toBeUndefined();
    expect(versionsWanted(' * ')).toBeUndefined();
    expect(() => refuseOtherThan(undefined, { id: 'a', version: 7 })).not.toThrow();
  });

  it('allows the versions whose tags it lists, as the ETag gives them', () => {
    expect(versionsWanted(versionTag(12))).toEqual([12]);
    expect(versionsWanted('"3", "4"')).toEqual([3, 4]);
    expect(() => refuseOtherThan([3, 4], { id: 'a', version: 4 })).not.toThrow();
  });

  it('refuses another version and says which there is', () => {
    expect(() => refuseOtherThan([3], { id: 'a', version: 4 })).toThrow(
      expect.objectContaining({ reason: 'CONFLICT', metadata: { version: '4' } }),
    );
  });

  it.each(['3', '', '""', '"0"', '"-1"', 'W/"3"', '"abc"', '"3",', '"99999999999"'])(
    'says how %j should be written',
    (header) => {
      expect(() => versionsWanted(header)).toThrow(
        expect.objectContaining({
          reason: 'INVALID_PARAMS',
          violations: [expect.objectContaining({ field: 'If-Match' })],
        }),
      );
    },
  );
});
