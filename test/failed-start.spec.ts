import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { createApp } from '../src/bootstrap.js';
import { Clock } from '../src/common/clock.js';
import { Draining } from '../src/common/draining.js';
import { testConfig } from './support/app.js';
import { FakeClock } from './support/fake-clock.js';

const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-failed-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a start that fails while providers are made leaves no timer', async () => {
  const clock = new FakeClock();
  const config = testConfig(`sqlite:${join(folder, 'hub.db')}`, {
    telemetry: { traces: { endpoint: 'http://127.0.0.1:1/v1/traces' } },
  });
  const late = async (): Promise<never> => {
    // What does not depend on it has been made by then.
    await pause(2000);
    throw new Error('it cannot be made');
  };
  const providers = [
    { provide: Clock, useValue: clock },
    { provide: Draining, useFactory: late },
  ];
  await expect(createApp({ config, providers })).rejects.toThrow('it cannot be made');
  expect(clock.sleeping).toBe(0);
});
