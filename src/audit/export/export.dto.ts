import { Choice, Int, Text } from '../../common/http/fields.js';
import { ID } from '../../common/http/text-forms.js';
import { EXPORT_BEGINNINGS, EXPORT_TYPES, type ExportType } from './audit-export.js';

/** An entry of `audit.export`. */
export class ExportDto {
  @Text({ like: ID })
  id!: string;

  @Choice(EXPORT_TYPES)
  type!: ExportType;

  @Text({ min: 1, max: 2048 })
  url!: string;

  @Choice(EXPORT_BEGINNINGS, { optional: true })
  from?: (typeof EXPORT_BEGINNINGS)[number];

  @Text({ optional: true, min: 1, max: 200 })
  secret?: string;

  @Text({
    optional: true,
    max: 4096,
    like: { pattern: /^[\x21-\x7e][\x20-\x7e]*$/, rule: 'must be printable ASCII on one line' },
  })
  authorization?: string;

  @Text({ optional: true, max: 100_000 })
  ca?: string;

  @Int({ optional: true, min: 1, max: 1000 })
  batch?: number;

  @Text({ optional: true, max: 20 })
  timeout?: string;
}
