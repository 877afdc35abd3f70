import { expect, it } from '@jest/globals';
import { isRefusedCommit } from './commit-unknown.js';

it.each(['23503', '23514', '40001', '40P01', '53100', '57014', 'P0001', '0A000', 'HV000'])(
  'a server that answers %s has refused the commit, in whatever language',
  (code) => expect(isRefusedCommit({ code, severity: 'FEHLER' })).toBe(true),
);

it.each([
  ...['08006', '08P01', '40003', '57P01', '57P02', '58030', 'XX000'],
  ...['EPIPE', 'ECONNRESET', 'ETIMEDOUT', undefined, '', 23503],
])('nobody knows of a commit after %s', (code) => {
  expect(isRefusedCommit({ code, severity: 'ERROR' })).toBe(false);
});

it('nobody knows of a commit after what is no error of a server', () => {
  expect(isRefusedCommit(new Error('Connection terminated unexpectedly'))).toBe(false);
  expect(isRefusedCommit(null)).toBe(false);
});
