import { describe, expect, it } from '@jest/globals';
import { idFromName, isAgentId } from './agent-id.js';

const free = () => false;

describe('idFromName', () => {
  it.each([
    ['CSV profiler', 'csv-profiler'],
    ['  Größe & Übung!  ', 'gro-e-ubung'],
    ['日本語', 'agent'],
    ['Tasks', 'agent-tasks'],
    ['v1', 'agent-v1'],
    ['x'.repeat(100), 'x'.repeat(63)],
  ])('makes an id of %s', (name, id) => {
    expect(idFromName(name, free)).toBe(id);
    expect(isAgentId(id)).toBe(true);
  });

  it('counts up while ids are taken, within the length', () => {
    const taken = new Set(['a', 'a-2', 'x'.repeat(63)]);
    expect(idFromName('A', (id) => taken.has(id))).toBe('a-3');
    expect(idFromName('x'.repeat(63), (id) => taken.has(id))).toBe(`${'x'.repeat(61)}-2`);
  });
});

describe('isAgentId', () => {
  it.each(['', 'A', 'a.b', 'a/b', 'tasks', 'agents', 'v1', 'extensions', 'x'.repeat(64)])(
    'refuses "%s"',
    (id) => expect(isAgentId(id)).toBe(false),
  );
});
