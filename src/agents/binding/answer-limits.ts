import { type JsonLimits, MAX_NESTING } from '../../common/json-limits.js';
import {
  type ProtoShape,
  type ProtoShapes,
  V0_SHAPES,
  V1_SHAPES,
} from '../../protocol/proto-limits.js';
import { AgentCallError } from './agent-call-error.js';

/**
 * How many levels of objects and lists are around free-form JSON (`data`, `metadata`) at most in an answer:
 * those of a part of a message of a task of a list, in their JSON-RPC envelope.
 */
const ENVELOPE_NESTING = 8;

/** What a whole answer may hold: a task with thousands of messages and parts. */
export const ANSWER_LIMITS: JsonLimits = {
  maxValues: 200_000,
  maxNesting: MAX_NESTING + ENVELOPE_NESTING,
};

/** What one event of a stream may hold. */
export const EVENT_LIMITS: JsonLimits = { ...ANSWER_LIMITS, maxValues: 50_000 };

/** What a method of gRPC answers with, of those that the hub calls. */
const ANSWERS: Readonly<Record<string, keyof ProtoShapes>> = {
  SendMessage: 'event',
  SendStreamingMessage: 'event',
  SubscribeToTask: 'event',
  TaskSubscription: 'event',
  GetTask: 'task',
  CancelTask: 'task',
  ListTasks: 'tasks',
};

/** The shape of what the method at this path answers with. */
export function shapeOfAnswer(path: string): ProtoShape {
  const [, service = '', method = ''] = path.split('/');
  const shapes = service.startsWith('lf.') ? V1_SHAPES : V0_SHAPES;
  const answer = ANSWERS[method];
  if (answer === undefined) throw new Error(`the hub calls no method ${path}`);
  return shapes[answer];
}

/** Why an answer is not even decoded: what it is, to follow "an answer that". */
export function beyondLimits(error: Error, limit = error.message): AgentCallError {
  return new AgentCallError('invalid', `the agent's answer ${limit}`, { limit, cause: error });
}
