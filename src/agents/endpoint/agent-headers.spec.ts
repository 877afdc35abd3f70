import { describe, expect, it } from '@jest/globals';
import { readHeaders } from './agent-headers.js';

describe('readHeaders', () => {
  it('takes names in lower case and trims values', () => {
    expect(readHeaders('credentials', { 'X-Key': ' secret ' }, 'hub')).toEqual({
      'x-key': 'secret',
    });
  });

  it.each([
    ['bad name', 'x'],
    ['', 'x'],
    ['Host', 'x'],
    ['A2A-Version', '0.3'],
    ['x-key', 'two\nlines'],
    ['x-key', 'snow \u2603'],
    ['x-key', 5],
  ])('refuses %j: %j without repeating the value', (name, value) => {
    const read = () => readHeaders('credentials', { [name]: value }, 'hub');
    expect(read).toThrow(`credentials.${name}`);
    expect(read).not.toThrow(/lines|snow/);
  });
});
