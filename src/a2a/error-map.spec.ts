import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HubError } from '../common/hub-error.js';
import { RPC_STATUS, WIRE_ERRORS, restErrorOf, rpcErrorOf } from './error-map.js';

describe('errors of the A2A API', () => {
  it('carry the codes of the specification', () => {
    const codes = Object.fromEntries(
      Object.entries(WIRE_ERRORS).map(([reason, { code }]) => [reason, code]),
    );
    expect(codes).toMatchObject({
      TASK_NOT_FOUND: -32001,
      TASK_NOT_CANCELABLE: -32002,
      PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
      UNSUPPORTED_OPERATION: -32004,
      CONTENT_TYPE_NOT_SUPPORTED: -32005,
      INVALID_AGENT_RESPONSE: -32006,
      EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
      EXTENSION_SUPPORT_REQUIRED: -32008,
      VERSION_NOT_SUPPORTED: -32009,
      PARSE_ERROR: -32700,
      INVALID_REQUEST: -32600,
      METHOD_NOT_FOUND: -32601,
      INVALID_PARAMS: -32602,
      INTERNAL: -32603,
    });
  });

  it('are listed in docs/errors.md as they are', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(listed).toEqual(
      Object.entries(WIRE_ERRORS).map(([reason, { code, text, httpStatus, rpcStatus, status }]) => [
        `\`${reason}\``,
        String(code),
        text,
        String(httpStatus),
        String(rpcStatus),
        status,
      ]),
    );
  });

  it('name the fields at fault in a BadRequest', () => {
    const violations = [{ field: 'message.parts', description: 'is required' }];
    const error = new HubError('INVALID_PARAMS', 'message.parts is required', { violations });
    expect(rpcErrorOf(error, '1.0')).toEqual({
      code: -32602,
      message: 'message.parts is required',
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INVALID_PARAMS',
          domain: 'a2a-protocol.org',
        },
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
      ],
    });
    expect(rpcErrorOf(error, '0.3')).toEqual({
      code: -32602,
      message: 'Invalid parameters',
      data: {
        reason: 'INVALID_PARAMS',
        domain: 'a2a-protocol.org',
        detail: 'message.parts is required',
        fieldViolations: violations,
      },
    });
  });

  it('have an object as data in 0.x: Go clients fail on anything else', () => {
    for (const reason of Object.keys(WIRE_ERRORS) as (keyof typeof WIRE_ERRORS)[]) {
      const { data } = rpcErrorOf(new HubError(reason, 'why'), '0.3');
      expect(Array.isArray(data)).toBe(false);
      expect(data).toMatchObject({ domain: expect.any(String) });
    }
  });

  it('say the same of a task that is not there, whoever it belongs to', () => {
    const one = new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId: 'a' } });
    const other = new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId: 'b' } });
    expect(rpcErrorOf(one, '1.0')).toEqual(rpcErrorOf(other, '1.0'));
    expect(rpcErrorOf(one, '0.3')).toEqual(rpcErrorOf(other, '0.3'));
  });

  it('tell a missing config under the reason of the specification', () => {
    expect(rpcErrorOf(new HubError('NOT_FOUND', 'No such config'), '1.0')).toMatchObject({
      code: -32001,
      message: 'No such config',
      data: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
    });
  });

  it('are a google.rpc.Status with the HTTP status in HTTP+JSON', () => {
    const violations = [{ field: 'message.parts', description: 'is required' }];
    expect(restErrorOf(new HubError('INVALID_PARAMS', 'what is wrong', { violations }))).toEqual({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'what is wrong',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'INVALID_PARAMS',
            domain: 'a2a-protocol.org',
          },
          { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
        ],
      },
    });
    for (const reason of Object.keys(WIRE_ERRORS) as (keyof typeof WIRE_ERRORS)[]) {
      const { error } = restErrorOf(new HubError(reason, 'why'));
      const rpc = rpcErrorOf(new HubError(reason, 'why'), '1.0');
      expect(error).toMatchObject({ code: WIRE_ERRORS[reason].httpStatus, message: rpc.message });
      expect(Object.keys(RPC_STATUS)).toContain(error.status);
      expect(error.details).toEqual(rpc.data);
    }
    expect(restErrorOf(new Error('secret')).error).toMatchObject({
      code: 500,
      status: 'INTERNAL',
      message: 'Internal error',
    });
  });

  it('hide what went wrong inside', () => {
    for (const thrown of [
      new Error('secret'),
      new HubError('INTERNAL', 'secret'),
      'secret',
      null,
    ]) {
      for (const version of ['1.0', '0.3'] as const) {
        const error = rpcErrorOf(thrown, version);
        expect(error).toMatchObject({ code: -32603, message: 'Internal error' });
        expect(JSON.stringify(error)).not.toContain('secret');
      }
    }
  });
});
