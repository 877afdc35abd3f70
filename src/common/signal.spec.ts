import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KeyedSignal, Signal } from './signal.js';

afterEach(() => {
  jest.useRealTimers();
});

describe('a signal', () => {
  it('tells all who listen at once, in the order they came', () => {
    const signal = new Signal<number>();
    const heard: string[] = [];
    signal.listen((value) => heard.push(`first ${value}`));
    signal.listen((value) => heard.push(`second ${value}`));
    signal.emit(1);
    expect(heard).toEqual(['first 1', 'second 1']);
  });

  it('tells the others when a listener throws, and that one the next time; the error surfaces', () => {
    jest.useFakeTimers();
    const signal = new Signal();
    const heard: string[] = [];
    signal.listen(() => {
      heard.push('bad');
      throw new Error('broken');
    });
    signal.listen(() => heard.push('good'));
    signal.emit();
    signal.emit();
    expect(heard).toEqual(['bad', 'good', 'bad', 'good']);
    expect(() => jest.runAllTimers()).toThrow('broken');
  });

  it('has an entry for each registration', () => {
    const signal = new Signal();
    let calls = 0;
    const listener = (): void => void (calls += 1);
    const [first, second] = [signal.listen(listener), signal.listen(listener)];
    signal.emit();
    first();
    first();
    signal.emit();
    expect([calls, signal.hasListeners]).toEqual([3, true]);
    second();
    signal.emit();
    expect([calls, signal.hasListeners]).toEqual([3, false]);
  });

  it('lets a listener leave, and another join, while it tells', () => {
    const signal = new Signal();
    const heard: string[] = [];
    const leave = signal.listen(() => {
      heard.push('first');
      leave();
      leaveSecond();
      signal.listen(() => heard.push('late'));
    });
    const leaveSecond = signal.listen(() => heard.push('second'));
    signal.listen(() => heard.push('third'));
    signal.emit();
    expect(heard).toEqual(['first', 'third']);
  });
});

describe('a signal by key', () => {
  it('tells who listens for that key', () => {
    const signal = new KeyedSignal<number>();
    const heard: string[] = [];
    signal.listen('a', (value) => heard.push(`a${value}`));
    signal.listen('b', (value) => heard.push(`b${value}`));
    signal.emit('a', 1);
    signal.emit('c', 2);
    expect(heard).toEqual(['a1']);
  });

  it('knows the keys that somebody listens for, and no others', () => {
    const signal = new KeyedSignal();
    const leave = signal.listen('a', () => undefined);
    const leaveToo = signal.listen('a', () => undefined);
    leave();
    expect([signal.keys, signal.hasListeners, signal.hasListenersFor('a')]).toEqual([
      ['a'],
      true,
      true,
    ]);
    leaveToo();
    leaveToo();
    expect([signal.keys, signal.hasListeners, signal.hasListenersFor('a')]).toEqual([
      [],
      false,
      false,
    ]);
  });
});
