import { expect, it } from '@jest/globals';
import { LeasedRate } from './leased-rate.js';

const rateAt = (second: number): LeasedRate => {
  const rate = new LeasedRate('key', 1);
  rate.turnTo(second);
  return rate;
};

it('a rate is used up in a second also where the next one is known to be', () => {
  const rate = rateAt(1);
  rate.take(2, 0, true);
  expect(rate.isUsedUp).toBe(false);
  rate.take(1, 0, false);
  expect(rate.isUsedUp).toBe(true);
  rate.turnTo(2);
  expect(rate.isUsedUp).toBe(true);
  rate.turnTo(3);
  expect(rate.isUsedUp).toBe(false);
});

it('a rate is used up where the database gives none of a later second instead', () => {
  const rate = rateAt(1);
  rate.take(3, 0, false);
  expect(rate.isUsedUp).toBe(true);
  rate.turnTo(2);
  expect(rate.isUsedUp).toBe(false);
});

it('a rate keeps nothing of a second that a clock set back has left far ahead', () => {
  const rate = rateAt(1000);
  rate.take(1000, 0, false);
  rate.take(1001, 1, true);
  rate.turnTo(10);
  rate.take(10, 0, false);
  expect(rate.isUsedUp).toBe(true);
  rate.turnTo(1000);
  expect(rate.isUsedUp).toBe(false);
  rate.turnTo(1001);
  expect(rate.left).toBe(0);
});
