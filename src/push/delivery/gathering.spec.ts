import { describe, expect, it } from '@jest/globals';
import { Gathering } from './gathering.js';

describe('Gathering', () => {
  it('lets all go on that have joined within a moment', async () => {
    const gathering = new Gathering();
    const begun = performance.now();
    await Promise.all([gathering.join(), gathering.join()]);
    expect(performance.now() - begun).toBeLessThan(1000);
    await gathering.join();
  });

  it('lets many go on at once', async () => {
    const gathering = new Gathering();
    let done = 0;
    for (let i = 0; i < 40; i++) void gathering.join().then(() => (done += 1));
    await Promise.resolve();
    await Promise.resolve();
    expect(done).toBe(32);
    await gathering.join();
    expect(done).toBe(40);
  });
});
