import { describe, expect, it } from '@jest/globals';
import { numbered } from './placeholders.js';

describe('numbered', () => {
  it('numbers placeholders in order', () => {
    expect(numbered('SELECT ? WHERE a = ? AND b IN (?, ?)')).toBe(
      'SELECT $1 WHERE a = $2 AND b IN ($3, $4)',
    );
  });

  it('leaves question marks inside quotes alone', () => {
    expect(numbered(`SELECT 'why?', 'it''s ?', "odd?name" WHERE a = ?`)).toBe(
      `SELECT 'why?', 'it''s ?', "odd?name" WHERE a = $1`,
    );
  });
});
