import { describe, expect, it } from '@jest/globals';
import {
  days,
  duration,
  flag,
  number,
  readDuration,
  size,
  writeDuration,
} from './setting-kinds.js';
import { environmentName } from './setting.js';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1.5s', 1500],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
    [0, 0],
    ['0', 0],
    [5, undefined],
    ['5', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5S', undefined],
    ['1.1h', 3_960_000],
    ['4.1m', 246_000],
    ['8.2m', 492_000],
    ['2.2d', 190_080_000],
    ['0.07h', 252_000],
    ['1.005s', 1005],
    ['0.5ms', undefined],
    ['1.0005s', undefined],
    ['20000000.0005s', undefined],
    [null, undefined],
  ])('%j is %s ms', (written, ms) => {
    expect(readDuration(written)).toBe(ms);
  });

  it.each([0, 1, 500, 1000, 1500, 60_000, 90_000, 3_600_000, 86_400_000, 172_800_000, 259_200_000])(
    'writes %i ms so that it is read back',
    (ms) => {
      expect(readDuration(writeDuration(ms))).toBe(ms);
    },
  );

  it('keeps to its limits, both included', () => {
    const setting = duration({ default: 0, description: '', min: 1000, max: 5000 });
    expect(setting.read('1s', 'file')).toBe(1000);
    expect(setting.read('5s', 'file')).toBe(5000);
    expect(setting.read('999ms', 'file')).toBeUndefined();
    expect(setting.read('5001ms', 'file')).toBeUndefined();
  });

  it('takes whole days where it keeps days', () => {
    const setting = days({ default: 1, description: '', min: 1, max: 9 });
    expect(setting.read('48h', 'file')).toBe(2);
    expect(setting.read('36h', 'file')).toBeUndefined();
    expect(setting.write(2)).toBe('2d');
  });
});

describe('sizes', () => {
  const setting = size({ default: 0, description: '', min: 0, max: 1024 ** 3 });

  it.each([
    ['512B', 512],
    ['512', 512],
    ['64KiB', 65_536],
    ['10MiB', 10_485_760],
    ['1GiB', 1_073_741_824],
    ['2GiB', undefined],
    ['10MB', undefined],
    ['1.5MiB', undefined],
    [10, undefined],
  ])('%j is %s bytes', (written, bytes) => {
    expect(setting.read(written, 'file')).toBe(bytes);
  });
});

describe('numbers and flags', () => {
  const port = number({ default: 0, description: '', min: 0, max: 10 });
  const on = flag({ default: false, description: '' });

  it('reads text in the environment only', () => {
    expect(port.read('7', 'environment')).toBe(7);
    expect(port.read('7', 'file')).toBeUndefined();
    expect(on.read('true', 'environment')).toBe(true);
    expect(on.read('true', 'file')).toBeUndefined();
    expect(on.read('yes', 'environment')).toBeUndefined();
  });

  it('refuses what is no number, not whole or out of bounds', () => {
    for (const text of ['', ' 7', '7x', '0x7', '1e1', 'NaN', '7.5', '11', '-1']) {
      expect(port.read(text, 'environment')).toBeUndefined();
    }
    expect(port.read(NaN, 'file')).toBeUndefined();
  });
});

describe('environmentName', () => {
  it('joins the parts by two underscores and splits camel case', () => {
    expect(environmentName('tasks.blockingWait')).toBe('A2A_HUB__TASKS__BLOCKING_WAIT');
    expect(environmentName('publicUrl')).toBe('A2A_HUB__PUBLIC_URL');
  });
});
