import { describe, expect, it } from '@jest/globals';
import { decideStatusQuery, MAX_STATUS_QUERIES } from './decide-status-query.js';
import { decideResend } from './decide-resend.js';
import { FakeTask, NOW, why } from './fake-task.js';

const WHY = 'The hub stopped while sending to Agent a.';

function onItsWay(): FakeTask {
  return new FakeTask({}).change('a', { state: 'sending', owner: 'runner', calls: 1 });
}

function ask(task: FakeTask): FakeTask {
  return task.commit(decideStatusQuery(task.aggregate, 'd-a', why(WHY), NOW));
}

describe('an agent that is queried for a message on its way', () => {
  it('is queried a few times; then its delegation fails, and no further query is sent', () => {
    const task = onItsWay();
    for (let times = 1; times <= MAX_STATUS_QUERIES; times++) {
      expect(ask(task).delegation()).toMatchObject({
        state: 'sending',
        progress: { statusQueries: { times } },
      });
    }
    expect(ask(task).delegation()).toMatchObject({
      state: 'failed',
      reason: `${WHY} It was asked 3 times.`,
      cancelPending: false,
    });
    expect(task.state).toBe('FAILED');
  });

  it('is queried again for what is resent, and for another message', () => {
    const task = onItsWay();
    for (let times = 1; times <= MAX_STATUS_QUERIES; times++) ask(task);
    const again = { why: why(WHY), agentNotified: true };
    task.commit(decideResend(task.aggregate, 'd-a', again, NOW));
    expect(ask(task).delegation()).toMatchObject({
      progress: { statusQueries: { resent: 1, times: 1 } },
    });
    task.change('a', { messageSeq: 7 });
    expect(ask(task).delegation()).toMatchObject({
      progress: { statusQueries: { seq: 7, times: 1 } },
    });
  });

  it('is not queried once it has answered', () => {
    const task = onItsWay().change('a', { state: 'working' });
    expect(ask(task).delegation()).toMatchObject({ state: 'working', progress: { artifacts: [] } });
  });
});
