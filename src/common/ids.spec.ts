import { describe, expect, it } from '@jest/globals';
import { SystemIdSource } from './ids.js';

describe('SystemIdSource', () => {
  it('gives UUIDs of version 7 that only rise, over many refills of its pool', () => {
    const ids = new SystemIdSource();
    const seen = new Set(Array.from({ length: 2000 }, () => ids.next()));
    expect(seen.size).toBe(2000);
    expect([...seen].sort()).toEqual([...seen]);
    for (const id of seen) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
