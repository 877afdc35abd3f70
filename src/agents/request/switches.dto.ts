import { Choice, Int } from '../../common/http/fields.js';
import type { AgentSwitches } from '../agent.js';
import { SWITCHES } from './agent-fields.js';

const { pollMs } = SWITCHES;

export class SwitchesDto implements Partial<Record<keyof AgentSwitches, unknown>> {
  @Choice(SWITCHES.streaming, {
    optional: true,
    nullable: true,
    description:
      'off: the hub never streams from it, whatever its card says; its tasks are polled.',
  })
  streaming?: AgentSwitches['streaming'] | null;

  @Choice(SWITCHES.blocking, {
    optional: true,
    nullable: true,
    description:
      'on: where it does not stream, messages are sent as blocking, for agents that do not answer GetTask. The budgets bound the wait.',
  })
  blocking?: AgentSwitches['blocking'] | null;

  @Int({
    optional: true,
    nullable: true,
    min: pollMs.min,
    max: pollMs.max,
    description:
      'A fixed polling interval, instead of one that grows from agents.pollMin to agents.pollMax.',
  })
  pollIntervalMs?: number | null;

  @Choice(SWITCHES.files, {
    optional: true,
    nullable: true,
    description:
      'How it encodes the bytes of files over HTTP+JSON and gRPC of 0.3: twice is base64 of base64. Null: the hub detects it.',
  })
  files?: AgentSwitches['files'] | null;

  @Choice(SWITCHES.caller, {
    optional: true,
    nullable: true,
    description:
      'signed: every call for a task carries A2A-Hub-Caller, a JWT of the hub that says on whose behalf it is made.',
  })
  caller?: AgentSwitches['caller'] | null;
}
