import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { RULE_LIMITS } from './domain/rule.js';

/** The members of the metadata that a rule looks at: few, by path, with plain values. */
@ValidatorConstraint()
export class MetadataConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    if (entries.length === 0 || entries.length > RULE_LIMITS.metadata) return false;
    return entries.every(([path, wanted]) => {
      const values: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
      const fits = values.length > 0 && values.length <= RULE_LIMITS.entries;
      return fits && isText(path) && values.every(isValue);
    });
  }

  defaultMessage(): string {
    return (
      `metadata must hold 1 to ${RULE_LIMITS.metadata} paths, each with a text (at most ` +
      `${RULE_LIMITS.text} characters), number, true or false, or a list of up to ${RULE_LIMITS.entries} of them`
    );
  }
}

function isText(value: string): boolean {
  return value !== '' && value.length <= RULE_LIMITS.text;
}

function isValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= RULE_LIMITS.text;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
