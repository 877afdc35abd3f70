import { PickType } from '@nestjs/swagger';
import { IsOptional, ValidateBy, ValidateIf } from 'class-validator';
import { Json, Nested, Text, Url } from '../../common/http/fields.js';
import { ID } from '../../common/http/text-forms.js';
import { readDuration, writeDuration } from '../../config/index.js';
import { CALL_SCHEMES, MAX_BUDGETS, MAX_URL, SWITCHES } from './agent-fields.js';
import { RegisterAgentDto } from './register-agent.dto.js';
import { SwitchesDto } from './switches.dto.js';

/** As gRPC names a server. */
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s/:@]+):\d{1,5}$/i;

/** A time as the configuration writes it. */
const IsDuration = (min: number, max: number) =>
  ValidateBy({
    name: 'isDuration',
    validator: {
      validate: (value) => {
        const ms = readDuration(value);
        return ms !== undefined && ms >= min && ms <= max;
      },
      defaultMessage: () =>
        `$property must be a duration such as 500ms, 5s, 10m, from ${writeDuration(min)} to ${writeDuration(max)}`,
    },
  });

/** `budgets` of the API, without their unit. */
export class DeclaredBudgetsDto {
  @IsOptional()
  @IsDuration(1, MAX_BUDGETS.connectMs)
  connect?: string;

  @IsOptional()
  @IsDuration(1, MAX_BUDGETS.firstEventMs)
  firstEvent?: string;

  @IsOptional()
  @IsDuration(1, MAX_BUDGETS.idleMs)
  idle?: string;

  @IsOptional()
  @IsDuration(1, MAX_BUDGETS.totalMs)
  total?: string;

  @IsOptional()
  @IsDuration(1, MAX_BUDGETS.cancelWaitMs)
  cancelWait?: string;
}

/** `switches` of the API, with the poll interval as a time. */
export class DeclaredSwitchesDto extends PickType(SwitchesDto, [
  'streaming',
  'blocking',
  'files',
  'caller',
]) {
  @IsOptional()
  @IsDuration(SWITCHES.pollMs.min, SWITCHES.pollMs.max)
  pollInterval?: string;
}

/** An agent as the configuration declares it: {@link RegisterAgentDto} in the words of the file. */
export class DeclaredAgentDto extends PickType(RegisterAgentDto, [
  'cardUrl',
  'card',
  'cardHeaders',
  'cardKeys',
  'authentication',
  'protocolBinding',
  'protocolVersion',
  'tags',
  'priority',
  'weight',
  'maxConcurrent',
  'maxQueue',
  'enabled',
  'organizations',
]) {
  @Text({ like: ID })
  id!: string;

  /** `endpointOverride` of the API; a host and a port will do. */
  @ValidateIf((_, value) => value != null && !HOST_AND_PORT.test(String(value)))
  @Url({ schemes: CALL_SCHEMES, max: MAX_URL, example: 'https://agent.example/a2a' })
  endpoint?: string | null;

  /** `credentials` of the API. */
  @Json({ optional: 'or-null' })
  headers?: Record<string, unknown>;

  @Nested(() => DeclaredBudgetsDto, { optional: 'or-null' })
  budgets?: DeclaredBudgetsDto;

  @Nested(() => DeclaredSwitchesDto, { optional: 'or-null' })
  switches?: DeclaredSwitchesDto;
}
