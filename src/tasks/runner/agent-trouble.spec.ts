import { describe, expect, it } from '@jest/globals';
import { AgentCallError } from '../../agents/index.js';
import { troubleOf } from './agent-trouble.js';

describe('what is kept of a failed call', () => {
  it('is what was wrong, on one line, cut short, without credentials and ids of the agent', () => {
    const text = `got "x"\n\u202Eof task their-task-id with Bearer abcdefgh ${'y'.repeat(2000)}`;
    const error = new AgentCallError('invalid', text, { code: -32603, httpStatus: 200 });
    const trouble = troubleOf('a', error, new Date(5000), ['their-task-id', '']);
    expect(trouble).toMatchObject({
      agentId: 'a',
      at: 5000,
      kind: 'invalid',
      code: -32603,
      httpStatus: 200,
      text: expect.stringMatching(/^got "x"\\u000a\\u202eof task \*\*\* with Bearer \*\*\* y+$/),
    });
    expect(trouble.text).toHaveLength(500);
  });
});
