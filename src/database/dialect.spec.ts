import { describe, expect, it } from '@jest/globals';
import { isDatabaseTrouble, isRetryable, isUniqueViolation } from './dialect.js';

describe('the errors of the drivers', () => {
  const withCode = (code: string): Error => Object.assign(new Error(code), { code });

  it('says whether a row exists already', () => {
    expect(isUniqueViolation(withCode('SQLITE_CONSTRAINT_PRIMARYKEY'))).toBe(true);
    expect(isUniqueViolation(withCode('23505'))).toBe(true);
    expect(isUniqueViolation(withCode('SQLITE_CONSTRAINT_NOTNULL'))).toBe(false);
    expect(isUniqueViolation(null)).toBe(false);
  });

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', '08006', '57P01', '53300', 'ECONNREFUSED'])(
    'knows %s as trouble of the database itself',
    (code) => expect(isDatabaseTrouble(withCode(code))).toBe(true),
  );

  it.each(['SQLITE_CONSTRAINT_NOTNULL', 'SQLITE_TOOBIG', '22021', '23502', 'ERR_INVALID_ARG_TYPE'])(
    'blames the statement for %s',
    (code) => expect(isDatabaseTrouble(withCode(code))).toBe(false),
  );

  it('knows a lost connection by its words, where there is no code', () => {
    expect(isDatabaseTrouble(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isDatabaseTrouble(new Error('changed my mind'))).toBe(false);
  });

  it('says which transactions may simply run again', () => {
    expect(isRetryable(withCode('40P01'))).toBe(true);
    expect(isRetryable(withCode('23505'))).toBe(false);
  });
});
