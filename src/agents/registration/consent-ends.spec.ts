import { expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { ConsentEnds } from './consent-ends.js';

it('does not hold consents, or a stop, up for a provider that is silent', async () => {
  const begun: string[] = [];
  const left = ['a', 'b', 'c'].map((id) => ({ id, cause: 'disabled-principal' }));
  const store = { ended: () => Promise.resolve(left.splice(0)) };
  const ending = {
    end: (id: string, _visibility: unknown, _cause: string, signal: AbortSignal) => {
      begun.push(id);
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  let wake: () => Promise<void> = () => Promise.resolve();
  const changes = { onChange: (listener: typeof wake) => void (wake = listener) };
  const log = { warn: () => undefined, info: () => undefined };
  const ends = new ConsentEnds(
    store as never,
    ending as never,
    changes as never,
    new SystemClock(),
    log as never,
  );
  ends.onApplicationBootstrap();
  await wake();
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b', 'c']);
  await ends.onModuleDestroy();
}, 5000);
