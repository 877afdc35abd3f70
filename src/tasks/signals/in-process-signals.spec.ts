import { describe, expect, it } from '@jest/globals';
import { InProcessSignals } from './in-process-signals.js';

describe('InProcessSignals', () => {
  it('notifies the listeners of that task only', () => {
    const signals = new InProcessSignals();
    const heard: string[] = [];
    signals.onTask('a', (seq) => heard.push(`a${seq}`));
    signals.onTask('b', (seq) => heard.push(`b${seq}`));
    signals.taskChanged('a', 3);
    expect(heard).toEqual(['a3']);
  });

  it('calls a listener no more after it has left', () => {
    const signals = new InProcessSignals();
    const heard: number[] = [];
    const listener = (seq: number): number => heard.push(seq);
    const first = signals.onTask('a', listener);
    const second = signals.onTask('a', listener);
    first();
    first();
    signals.taskChanged('a', 1);
    second();
    signals.taskChanged('a', 2);
    expect(heard).toEqual([1]);
  });

  it('lets a listener leave, and another join, during a notification', () => {
    const signals = new InProcessSignals();
    const heard: string[] = [];
    const leave = signals.onTask('a', () => {
      heard.push('first');
      leave();
      signals.onTask('a', () => heard.push('late'));
    });
    signals.onTask('a', () => heard.push('second'));
    signals.taskChanged('a', 1);
    expect(heard).toEqual(['first', 'second']);
  });

  it('notifies for work and for delegations', () => {
    const signals = new InProcessSignals();
    const heard: string[] = [];
    const off = signals.onWork(() => heard.push('work'));
    signals.onDelegation((id) => heard.push(id));
    signals.workWaiting();
    off();
    signals.workWaiting();
    signals.delegationChanged('d1');
    expect(heard).toEqual(['work', 'd1']);
  });
});
