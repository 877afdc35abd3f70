import { describe, expect, it } from '@jest/globals';
import { failureOf, protocolErrorIn } from './protocol-error.js';

const java = (name: string, message = 'said') => ({ error: `io.a2a.spec.${name}`, message });

describe('an error of the Java SDK over HTTP+JSON 0.3', () => {
  it.each([
    ['TaskNotFoundError', -32001],
    ['TaskNotCancelableError', -32002],
    ['UnsupportedOperationError', -32004],
    ['InvalidParamsError', -32602],
    ['InternalError', -32603],
  ])('is known by its name: %s', (name, code) => {
    expect(protocolErrorIn(java(name))).toEqual({ code, message: 'said' });
  });

  it('of a task that is not known is that', () => {
    const error = protocolErrorIn(java('TaskNotFoundError', ''));
    expect(error).toBeDefined();
    const when = { httpStatus: 404, afterEvent: false };
    expect(error && failureOf(error, when)).toMatchObject({ kind: 'not-found' });
  });

  it('is none where the name is of something else, or there are no words', () => {
    for (const json of [
      java('constructor'),
      java('SomethingElse'),
      { error: 'Not Found', message: 'no such page' },
      { error: 'io.a2a.spec.TaskNotFoundError' },
      { error: `${'a.'.repeat(1000)}TaskNotFoundError`, message: 'longer than any name' },
    ]) {
      expect(protocolErrorIn(json)).toBeUndefined();
    }
  });
});
