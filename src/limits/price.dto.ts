import { Json, Num, Text } from '../common/http/fields.js';
import { ID, NAME } from '../common/http/text-forms.js';
import { MAX_AMOUNT } from './domain/price.js';
import { UNIT } from './unit-form.js';

/** A price as the configuration declares it. */
export class DeclaredPriceDto {
  @Text({ optional: 'or-null', like: ID })
  agent?: string | null;

  @Text({ optional: 'or-null', like: NAME })
  skill?: string | null;

  @Text({ like: UNIT })
  unit!: string;

  @Num({ optional: true, min: 0, max: MAX_AMOUNT })
  perTask?: number;

  @Json({ optional: true })
  usage?: Record<string, number>;
}
