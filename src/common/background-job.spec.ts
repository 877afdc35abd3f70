import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BackgroundJob, type JobRules } from './background-job.js';
import { SystemClock } from './clock.js';

const clock = new SystemClock();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
let logged: unknown[];
let runs: number;
let job: BackgroundJob | undefined;

beforeEach(() => {
  jest.useFakeTimers();
  [logged, runs, job] = [[], 0, undefined];
});

afterEach(async () => {
  await job?.stop();
  jest.useRealTimers();
});

function started(rules: Partial<JobRules> = {}): BackgroundJob {
  const log = {
    warn: (fields: object, text: string) => void logged.push([text, { ...fields }]),
    info: (fields: object, text: string) => void logged.push([text, { ...fields }]),
  };
  const run = (): void => void (runs += 1);
  const all = { name: 'counting', failure: 'it could not be counted', everyMs: 1000, run };
  job = new BackgroundJob({ ...all, ...rules }, clock, log);
  job.start();
  return job;
}

describe('a background job', () => {
  it('runs a period after its start, and a period after each run', async () => {
    started();
    await pass(999);
    expect(runs).toBe(0);
    await pass(1);
    expect(runs).toBe(1);
    await pass(3000);
    expect(runs).toBe(4);
  });

  it('begins with a run where that is requested', async () => {
    started({ atOnce: true });
    await pass(0);
    expect(runs).toBe(1);
  });

  it('started twice runs once', async () => {
    started().start();
    await pass(1000);
    expect(runs).toBe(1);
  });

  it('never runs twice at once; what wakes it meanwhile is not lost', async () => {
    const ends: (() => void)[] = [];
    const long = started({
      run: () => {
        runs += 1;
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    long.wake();
    await pass(5000);
    expect(runs).toBe(1);
    long.wake();
    long.wake();
    await pass(0);
    expect(runs).toBe(1);
    ends[0]?.();
    await pass(0);
    expect(runs).toBe(2);
    ends[1]?.();
    await pass(999);
    expect(runs).toBe(2);
    job = undefined;
  });

  it('without a period runs when it is woken, and when a run asks for another', async () => {
    const woken = new BackgroundJob(
      { name: 'n', failure: 'f', run: () => ((runs += 1) === 1 ? 50 : undefined) },
      clock,
      { warn: () => undefined, info: () => undefined },
    );
    woken.start();
    await pass(100_000);
    expect([runs, jest.getTimerCount()]).toEqual([0, 0]);
    woken.wake();
    await pass(0);
    expect(runs).toBe(1);
    await pass(50);
    expect([runs, jest.getTimerCount()]).toEqual([2, 0]);
    await woken.stop();
  });

  it('ends when a run says that it is done', async () => {
    const done = started({
      run: () => {
        runs += 1;
        return 'done';
      },
    });
    await pass(5000);
    done.wake();
    await pass(5000);
    expect(runs).toBe(1);
  });

  it('logs a failure once with its name and goes on; that it works again, too', async () => {
    let trouble: string | undefined = 'away';
    started({
      run: () => {
        runs += 1;
        if (trouble !== undefined) throw new Error(trouble);
      },
    });
    await pass(3000);
    expect([runs, logged.length]).toEqual([3, 1]);
    expect(logged[0]).toEqual([
      'it could not be counted',
      { job: 'counting', err: new Error('away') },
    ]);
    trouble = 'full';
    await pass(2000);
    expect(logged).toHaveLength(2);
    trouble = undefined;
    await pass(2000);
    expect(logged.slice(2)).toEqual([['background job recovered', { job: 'counting' }]]);
  });

  it('stops at once between its runs', async () => {
    await started().stop();
    expect(jest.getTimerCount()).toBe(0);
    await pass(5000);
    expect(runs).toBe(0);
  });

  it('waits for the run under way when it stops, which hears of it', async () => {
    let stopped = false;
    const long = started({
      run: (signal) =>
        new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => setTimeout(resolve, 5)),
        ),
    });
    await pass(1000);
    const stop = long.stop().then(() => (stopped = true));
    await pass(4);
    expect(stopped).toBe(false);
    await pass(1);
    await stop;
    await pass(5000);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('stopped before it was started never runs', async () => {
    const never = started();
    await never.stop();
    never.start();
    await pass(5000);
    expect(runs).toBe(0);
  });
});
