import { expect, it } from '@jest/globals';
import { SettableClock } from './fake-settable-clock.js';
import { timeLeft } from './time-left.js';

it('becomes less as time goes on, and takes no notice of a clock that is set back', () => {
  const clock = new SettableClock();
  const left = timeLeft(clock, 1000);
  expect(left()).toBe(1000);
  clock.ms += 300;
  expect([left(), left()]).toEqual([700, 700]);
  clock.ms -= 3_600_000;
  expect(left()).toBe(700);
  clock.ms += 700;
  expect(left()).toBe(0);
  clock.ms += 5;
  expect(left()).toBe(-5);
});
