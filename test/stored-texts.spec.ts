import { describe, expect, it } from '@jest/globals';
import { AuditEventEntity } from '../src/audit/persistence/audit-event.entity.js';
import { Table } from '../src/database/table.js';
import { DelegationEntity } from '../src/tasks/persistence/delegation.entity.js';
import { wholeText } from '../src/tasks/persistence/event-texts.js';
import { TaskEntity } from '../src/tasks/persistence/task.entity.js';

/*
 * Rows like these are in databases: what their texts stand for may never change. A test that fails here says that a list of
 * fragments was changed at another place than its end.
 */

const TASK = '01a22da9-9e3d-779b-bf2e-c990889eac27';

describe('rows that were stored', () => {
  it('of the log have each of these codes', () => {
    const codes =
      '\u0003|\u0004|\u0005|\u0006|\u0007|\b|\u000b|\f|\u000e|\u000f|\u0010|\u0011|\u0012|\u0013';
    expect(wholeText(TASK, codes).split('|')).toEqual([
      `{"task":{"id":"${TASK}","contextId":"`,
      `{"statusUpdate":{"taskId":"${TASK}","contextId":"`,
      `{"artifactUpdate":{"taskId":"${TASK}","contextId":"`,
      '","status":{"state":"TASK_STATE_',
      '","timestamp":"20',
      'Z"}}}',
      'Z"},"metadata":{"urn:a2a-hub:routing:v1":{"reason":"',
      '","strategy":"one","agents":[{"agentId":"',
      '"}]}}}}',
      ',"contextId":"',
      `","taskId":"${TASK}","role":"ROLE_USER","parts":[{"text":"`,
      '"}],"metadata":{"',
      ',"message":{"messageId":"',
      `","taskId":"${TASK}","role":"ROLE_AGENT","parts":[{"text":"`,
    ]);
    const others = '\u0014|\u0015|\u0016|\u0017|\u0018|\u0019|\u001a|\u0001|\u0002';
    expect(wholeText(TASK, others).split('|')).toEqual([
      '","artifact":{"artifactId":"',
      '","parts":[{"text":"',
      '"}],"metadata":{"urn:a2a-hub:routing:v1":{"agentId":"',
      '","delegationId":"01a22da9-9e3d-779b-bf2e-',
      '"}}},"lastChunk":true}}',
      '"}}},"append":true}}',
      ',"timestamp":"20',
      TASK,
      '01a22da9-9e3d-779b-bf2e-',
    ]);
  });

  const { read: readTask } = new Table(TaskEntity).select('route', 'request');
  const route = { reason: 'agent', strategy: 'one', require: 'all' };

  it.each([
    [
      '\u0003agent\u0004light\bs1\u000bNamed.\f\u000e100}',
      {
        ...route,
        chosen: [{ agentId: 'light', skillId: 's1', why: 'Named.' }],
        skipped: [],
        maxCalls: 100,
      },
    ],
    [
      '\u0003skill\u0005all\u0006a\u0007b\u000bw\f}',
      {
        ...{ reason: 'skill', strategy: 'all', require: 'all', skipped: [] },
        chosen: [{ agentId: 'a' }, { agentId: 'b', why: 'w' }],
      },
    ],
  ])('of tasks have this route: %j', (stored, whole) => {
    expect(readTask({ route: stored, request: null }).route).toEqual(whole);
  });

  it.each([
    ['\u0003k\u0006r"}', { keyId: 'k', requestId: 'r' }],
    ['\u0004i\u0005https://i\u0006r"}', { identityId: 'i', issuer: 'https://i', requestId: 'r' }],
  ])('of tasks have this request: %j', (stored, whole) => {
    expect(readTask({ route: '{}', request: stored }).request).toEqual(whole);
  });

  it.each([
    [
      '\u0003x\u0004y\u00052:@2026-11-30T18:56:02.893\u000b1\u000e2\u000f3}}',
      {
        artifacts: [{ theirs: 'x', id: 'y', closed: true }],
        lastStatus: '2:@2026-11-30T18:56:02.893Z',
        times: { sentAt: 1, answeredAt: 2, endedAt: 3 },
      },
    ],
    [
      '\u0003x\u0004y\u0006z\u0004w\u0007s\u000b1}}',
      {
        artifacts: [
          { theirs: 'x', id: 'y' },
          { theirs: 'z', id: 'w' },
        ],
        ...{ lastStatus: 'sZ', times: { sentAt: 1 } },
      },
    ],
    ['\bs",\f1}}', { artifacts: [], lastStatus: 's', times: { sentAt: 1 } }],
  ])('of delegations have this progress: %j', (stored, whole) => {
    const { read } = new Table(DelegationEntity).select('progress');
    expect(read({ progress: stored }).progress).toEqual(whole);
  });

  it('of the audit log have these details', () => {
    const stored =
      '\u0003FAILED\u0012NO\u0011t\u000426\u000527\u0006a\u000728\u000e29\u000fb\bs\u000b30\u000e31' +
      '\u000fc\ffailed","calls":2,"begunAt":null,"changedAt":"2032\u0010';
    const { read } = new Table(AuditEventEntity).select('details');
    const completed = { state: 'completed', calls: 1 };
    expect(read({ details: stored }).details).toEqual({
      ...{ state: 'TASK_STATE_FAILED', reason: 'NO', traceId: 't' },
      ...{ createdAt: '2026Z', endedAt: '2027Z' },
      delegations: [
        { agent: 'a', skill: null, ...completed, begunAt: '2028Z', changedAt: '2029Z' },
        { agent: 'b', skill: 's', ...completed, begunAt: '2030Z', changedAt: '2031Z' },
        { agent: 'c', skill: null, state: 'failed', calls: 2, begunAt: null, changedAt: '2032Z' },
      ],
    });
  });
});
