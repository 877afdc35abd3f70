import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Role, type StreamResponse, type Task } from '../../protocol/a2a.js';
import { textPart } from '../../protocol/build.js';
import { applyEvent, emptyTask } from '../../protocol/task-reducer.js';
import { artifact, chunk, said, snapshot, status, statusOf, userMessage } from './fake-events.js';
import { FakeTask, planStep } from './fake-task.js';
import { reconcile } from './reconcile.js';

const now = (fields: Parameters<typeof snapshot>[0]): Task => {
  const { payload } = snapshot(fields);
  if (payload?.$case !== 'task') throw new Error('not a task');
  return payload.value;
};

describe('reconcile', () => {
  it('finds nothing where nothing is new', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'one'));
    task.agent(status('working', 'reading'));
    const same = now({
      status: statusOf('working', 'reading'),
      artifacts: [artifact('out', 'one')],
    });
    expect(reconcile(task.aggregate, 'd-a', same)).toEqual([]);
    expect(reconcile(task.aggregate, 'nobody', same)).toEqual([]);
  });

  it('distinguishes the messages of an agent that is asked twice, though it counts them anew', () => {
    const plan = [
      planStep('one', ['a'], { isResult: false }),
      planStep('two', ['b'], { after: [{ step: 'one', outcome: 'completed' }] }),
    ];
    const task = new FakeTask({ plan });
    task.change('b', { agentId: 'a', agentName: 'Agent a' });
    task.agent(status('working', said('first', '1')), 'a');
    task.agent(status('completed'), 'a');
    const history = [userMessage('d-b', 'go on'), said('second', '1')];
    const twice = snapshot({ status: statusOf('working'), history });
    task.claim('b').agent(twice, 'b');
    task.agent(twice, 'b');
    expect(task.story()).toEqual([
      'status WORKING: Agent a: first',
      'status WORKING: Agent a completed.',
      'status WORKING: Agent a: second',
    ]);
    const ids = [...task.task.history, task.task.status!.message!].map((each) => each.messageId);
    expect(ids).toEqual(expect.arrayContaining(['a.0.1', 'a.1.1']));
  });

  it('appends to an artifact whose known parts begin the present one', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'one'));
    task.agent(
      snapshot({
        status: statusOf('working'),
        artifacts: [artifact('out', 'one', 'two', 'three')],
      }),
    );
    expect(task.story()).toEqual(['artifact out=one', 'artifact out+two|three', 'status WORKING']);
  });

  it('replaces any other artifact whole, and marks the last chunks of a terminal task', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'one'));
    task.agent(
      snapshot({
        status: statusOf('completed'),
        artifacts: [artifact('out', 'two'), artifact('new', 'x')],
      }),
    );
    expect(task.story()).toEqual([
      'artifact out=one',
      'artifact out=two.',
      'artifact new=x.',
      'status COMPLETED',
    ]);
  });

  it('never takes an artifact away because a snapshot does not mention it', () => {
    const task = new FakeTask();
    task.agent(chunk('out', 'one'));
    task.agent(snapshot({ status: statusOf('completed') }));
    expect(task.task.artifacts).toHaveLength(1);
  });

  it('compares files by their bytes', () => {
    const task = new FakeTask();
    const file = (bytes: string): Task =>
      now({
        status: statusOf('working'),
        artifacts: [
          {
            ...artifact('f'),
            parts: [{ ...textPart(''), content: { $case: 'raw', value: Buffer.from(bytes) } }],
          },
        ],
      });
    task.agent({ payload: { $case: 'task', value: file('abc') } });
    expect(reconcile(task.aggregate, 'd-a', file('abc'))).toEqual([]);
    expect(reconcile(task.aggregate, 'd-a', file('abd'))).toHaveLength(1);
  });

  it('takes the last of two artifacts that share an id', () => {
    const task = new FakeTask();
    const twice = now({
      status: statusOf('working'),
      artifacts: [artifact('out', 'one'), artifact('out', 'two')],
    });
    task.agent({ payload: { $case: 'task', value: twice } });
    expect(task.story()).toEqual(['artifact out=two', 'status WORKING']);
    expect(reconcile(task.aggregate, 'd-a', twice)).toEqual([]);
  });

  it('takes the question from the history where the status has none', () => {
    const task = new FakeTask();
    task.agent(
      snapshot({
        status: statusOf('input'),
        history: [userMessage('m1', 'hello'), said('which?')],
      }),
    );
    expect(task.story()).toEqual(['status INPUT_REQUIRED: which?']);
  });

  it.each(['input', 'auth'] as const)(
    'leaves a question as it is that is answered by nothing new (%s)',
    (state) => {
      const task = new FakeTask();
      task.agent(status(state, 'which?'));
      const look = snapshot({
        status: statusOf(state, 'which?'),
        history: [userMessage('m1', 'hello'), said('reading')],
        artifacts: [artifact('out', 'one')],
      });
      task.agent(look);
      task.agent(look);
      const waits = `status ${state === 'input' ? 'INPUT' : 'AUTH'}_REQUIRED: which?`;
      expect(task.story()).toEqual([waits, 'artifact out=one']);
      task.agent(
        snapshot({
          status: statusOf('working', 'going on'),
          history: [userMessage('m1', 'hello'), said('reading'), said('which?')],
        }),
      );
      expect(task.story().slice(2)).toEqual([
        'status WORKING: reading',
        'status WORKING: going on',
      ]);
    },
  );

  it('takes no old question for a new one', () => {
    const task = new FakeTask();
    task.agent(
      snapshot({
        status: statusOf('input'),
        history: [said('which?'), userMessage('m1', 'hello')],
      }),
    );
    expect(task.story()).toEqual(['status INPUT_REQUIRED']);
  });

  it('takes the answer from the history where there is no artifact', () => {
    const task = new FakeTask();
    task.agent(
      snapshot({
        status: statusOf('completed'),
        history: [userMessage('m1', 'hello'), said('42')],
      }),
    );
    expect(task.story()).toEqual(['status COMPLETED: 42']);
  });

  it('shows messages that were missed, and only those of this task', () => {
    const task = new FakeTask();
    task.agent(status('working', 'one'));
    task.agent(
      snapshot({
        status: statusOf('completed', 'four'),
        history: [
          said('long ago'),
          userMessage('m1', 'hello'),
          said('one'),
          said('two'),
          said('three'),
        ],
      }),
    );
    expect(task.story()).toEqual([
      'status WORKING: one',
      'status WORKING: two',
      'status WORKING: three',
      'status COMPLETED: four',
    ]);
  });

  it('knows the messages it has shown among several agents', () => {
    const task = new FakeTask({ agents: ['a', 'b'] });
    task.agent(status('working', 'one'), 'a');
    const history = [userMessage('m1', 'hello'), said('one')];
    expect(reconcile(task.aggregate, 'd-a', now({ status: statusOf('working'), history }))).toEqual(
      [],
    );
  });

  it('says nothing of a state that says nothing', () => {
    const task = new FakeTask();
    task.agent(snapshot({ status: statusOf('unspecified') }));
    expect(task.story()).toEqual([]);
  });

  it('passes on the metadata of the task that is new', () => {
    const task = new FakeTask();
    task.agent(snapshot({ status: statusOf('working'), metadata: { model: 'x' } }));
    task.agent(snapshot({ status: statusOf('completed'), metadata: { model: 'x', cost: 1 } }));
    expect(task.task.metadata).toEqual({ model: 'x', cost: 1 });
  });

  it('polls quietly: the same snapshot again and again adds nothing', () => {
    const task = new FakeTask();
    const same = snapshot({
      status: statusOf('working', 'reading'),
      artifacts: [artifact('out', 'one')],
      history: [userMessage('m1', 'hello'), said('step')],
    });
    task.agent(same);
    const length = task.log.length;
    task.agent(same);
    task.agent(same);
    expect(task.log).toHaveLength(length);
  });
});

describe('reconcile, whatever the agent did', () => {
  const anyEvent = fc.oneof(
    fc
      .record({
        id: fc.constantFrom('x', 'y', 'z'),
        text: fc.constantFrom('1', '2', '3'),
        append: fc.boolean(),
        lastChunk: fc.boolean(),
      })
      .map(({ id, text, append, lastChunk }) => chunk(id, text, { append, lastChunk })),
    fc.nat(3).map((n) => status('working', `step ${n}`)),
  );
  const run = fc.record({
    events: fc.array(anyEvent, { maxLength: 12 }),
    end: fc.constantFrom('completed' as const, 'failed' as const, 'input' as const),
    cut: fc.nat(14),
    agents: fc.constantFrom(['a'], ['a', 'b']),
  });
  const content = (task: Task): unknown =>
    task.artifacts.map(({ artifactId, parts, metadata }) => ({ artifactId, parts, metadata }));

  it('any prefix of its events and the task at the end give what the whole stream gives', () => {
    fc.assert(
      fc.property(run, ({ events, end, cut, agents }) => {
        const all: StreamResponse[] = [...events, status(end, 'the end')];
        const theirs = emptyTask('down-task', 'down-context');
        for (const { payload } of all) if (payload) applyEvent(theirs, payload);
        const whole = new FakeTask({ agents });
        for (const event of all) whole.agent(event);
        const part = new FakeTask({ agents });
        for (const event of all.slice(0, cut)) part.agent(event);
        part.agent({ payload: { $case: 'task', value: theirs } });
        expect(content(part.task)).toEqual(content(whole.task));
        expect(part.delegation().state).toBe(whole.delegation().state);
        expect(part.state).toBe(whole.state);
        expect(reconcile(part.aggregate, 'd-a', theirs)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('no user message of the agent comes back as its own', () => {
    const task = new FakeTask();
    const own = { ...userMessage('m1', 'hello'), role: Role.ROLE_USER };
    task.agent(
      snapshot({ status: statusOf('working'), history: [own, { ...own, messageId: 'm2' }] }),
    );
    expect(task.story()).toEqual(['status WORKING']);
  });
});
