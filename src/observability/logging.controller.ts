import { Body, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AdminController } from '../common/http/admin-controller.js';
import { HubError } from '../common/hub-error.js';
import { LOG_LEVELS, LOG_MODULES, type LogLevel, type LogModule } from '../common/module-logs.js';
import { ChangeLoggingDto, LoggingDto } from './logging.dto.js';
import { LogLevels } from './log-levels.js';

@AdminController('logging', 'api/v1/logging', 'admin')
export class LoggingController {
  constructor(private readonly levels: LogLevels) {}

  @Get()
  @ApiOperation({ summary: 'Show the level of the log of each module.' })
  @ApiOkResponse({ type: LoggingDto })
  read(): LoggingDto {
    return new LoggingDto(this.levels.all());
  }

  @Patch()
  @ApiOperation({
    summary: 'Set the levels of the log of modules for a while, in all processes of the hub.',
    description:
      'In force in this process at once and in others within about a second, also in those that are started meanwhile. Modules that are not named stay as they are.',
  })
  @ApiOkResponse({ type: LoggingDto })
  async patch(@Body() { levels, forSeconds }: ChangeLoggingDto): Promise<LoggingDto> {
    await this.levels.change(levelsIn(levels), forSeconds * 1000);
    return this.read();
  }
}

function levelsIn(levels: Readonly<Record<string, unknown>>): Map<LogModule, LogLevel | null> {
  const violations = Object.entries(levels).flatMap(([module, level]) => {
    const field = `levels.${module}`;
    if (!LOG_MODULES.includes(module as LogModule)) {
      return [{ field, description: `is no module; there are ${LOG_MODULES.join(', ')}` }];
    }
    if (level === null || LOG_LEVELS.includes(level as LogLevel)) return [];
    return [{ field, description: `must be one of ${LOG_LEVELS.join(', ')}, or null` }];
  });
  if (violations.length > 0) {
    throw new HubError('INVALID_PARAMS', 'The levels are not valid.', { violations });
  }
  return new Map(Object.entries(levels)) as Map<LogModule, LogLevel | null>;
}
