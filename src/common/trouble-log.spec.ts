import { expect, it } from '@jest/globals';
import { TroubleLog } from './trouble-log.js';

it('says each trouble once until it is over', () => {
  const lines: string[] = [];
  const log = new TroubleLog({ warn: (_, message) => void lines.push(message) });
  for (const message of ['away', 'away', 'gone', 'away']) log.warn({}, message);
  expect(lines).toEqual(['away', 'gone']);
  log.over();
  log.warn({}, 'away');
  expect(lines).toEqual(['away', 'gone', 'away']);
});
