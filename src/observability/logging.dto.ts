import { Int, Json, Shown } from '../common/http/fields.js';
import { fill } from '../common/http/view.js';
import { LOG_LEVELS, LOG_MODULES, type LogLevel, type LogModule } from '../common/module-logs.js';
import { MOST_LEVEL_SECONDS, type ModuleLevel } from './log-levels.js';

const HOUR_SECONDS = 3600;

export class ModuleLevelDto {
  @Shown.Choice(LOG_MODULES)
  readonly module!: LogModule;

  @Shown.Choice(LOG_LEVELS)
  readonly level!: LogLevel;

  @Shown.Choice(LOG_LEVELS, { description: 'What the configuration says.' })
  readonly configured!: LogLevel;

  @Shown.Time({ nullable: true, description: 'When the level becomes `configured` again.' })
  readonly endsAt!: string | null;

  constructor(level: ModuleLevel) {
    fill<ModuleLevelDto>(this, level);
  }
}

export class LoggingDto {
  @Shown.Nested(() => ModuleLevelDto, { list: {} })
  readonly modules!: readonly ModuleLevelDto[];

  constructor(levels: readonly ModuleLevel[]) {
    this.modules = levels.map((level) => new ModuleLevelDto(level));
  }
}

export class ChangeLoggingDto {
  @Json({
    values: { type: 'string', enum: LOG_LEVELS, nullable: true },
    description: 'Levels by module; null: what the configuration says.',
  })
  levels!: Record<string, unknown>;

  @Int({
    min: 1,
    max: MOST_LEVEL_SECONDS,
    optional: true,
    description:
      'After so many seconds the levels are those of the configuration again; 3600 if absent.',
  })
  forSeconds: number = HOUR_SECONDS;
}
