import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldViolation, HubError } from '../hub-error.js';
import { nearest } from '../nearest.js';
import { plainWords } from './plain-words.js';

/** The constraints that say which type a value must have. */
const TYPES = ['isArray', 'isObject', 'isString', 'isBoolean', 'isNumber', 'isInt'];
const LENGTHS = ['isLength', 'minLength', 'maxLength'];

/** Names that every object has members of: Nest and class-transformer leave such members out, at any depth, without a word. */
const INHERITED = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/** Refuses bodies that are no object where a DTO is asked for, and members that would be lost. */
class AdminValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // PostgreSQL refuses to look for one.
    if (metadata.type === 'param' && typeof value === 'string' && value.includes('\0')) {
      throw new HubError('NOT_FOUND', `No ${metadata.data ?? 'id'} holds U+0000.`);
    }
    if (!isDto(metadata.metatype)) return super.transform(value, metadata);
    if (metadata.type === 'body' && !isObject(value)) {
      throw new HubError('INVALID_PARAMS', 'The body must be a JSON object.');
    }
    const field = inheritedIn(value);
    if (field !== undefined) throw refusal([{ field, description: 'is no name for a member' }]);
    return super.transform(value, metadata);
  }
}

/** The path of a member with such a name; undefined when there is none. */
function inheritedIn(value: unknown): string | undefined {
  const open: Held[] = [{ value, path: () => '' }];
  for (let held = open.pop(); held !== undefined; held = open.pop()) {
    const { value: holder, path } = held;
    if (typeof holder !== 'object' || holder === null) continue;
    const isList = Array.isArray(holder);
    for (const [name, member] of Object.entries(holder)) {
      if (!isList && INHERITED.has(name)) return fieldPath(path(), name);
      if (typeof member !== 'object') continue;
      open.push({ value: member, path: () => fieldPath(path(), name) });
    }
  }
  return undefined;
}

interface Held {
  readonly value: unknown;
  readonly path: () => string;
}

function isDto(metatype: ArgumentMetadata['metatype']): boolean {
  return (
    metatype !== undefined &&
    ![Object, Array, String, Number, Boolean].some((one) => one === metatype)
  );
}

/** A body that is absent is checked by the DTO: it may need nothing. */
function isObject(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))
  );
}

/** The pipe of the admin API: DTOs are checked whole, and members they do not have are refused. */
export function adminValidationPipe(): ValidationPipe {
  return new AdminValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    transform: true,
    // What was found at fault tells which members there are; nothing of it is shown but their names.
    validationError: { target: true },
    exceptionFactory: (errors) => {
      return refusal(errors.flatMap((error) => violationsOf(error, '')));
    },
  });
}

function refusal(violations: readonly FieldViolation[]): HubError {
  const detail = violations.map(({ field, description }) => `${field}: ${description}`);
  return new HubError('INVALID_PARAMS', detail.join('; '), { violations });
}

function violationsOf(error: ValidationError, parent: string): FieldViolation[] {
  const field = fieldPath(parent, error.property);
  const own = faultsOf(error).map((text) => ({
    field,
    description: plainWords(text, error.property),
  }));
  // Of a list where an object belongs, and such, the entries are no matter.
  if (typeFaultOf(error) !== undefined) return own;
  return [...own, ...(error.children ?? []).flatMap((child) => violationsOf(child, field))];
}

/** A value of a wrong type gets that complaint alone, an absent one that it is needed, an unknown member which there are. */
function faultsOf({ value, target, property, constraints = {} }: ValidationError): string[] {
  if (constraints['whitelistValidation'] !== undefined) return [unknownMember(property, target)];
  const texts = Object.values(constraints);
  // Of a list where an object belongs the value is not told, but what it stands in is.
  const given: unknown = value ?? (target as Record<string, unknown> | undefined)?.[property];
  if (given === undefined && texts.length > 0) return ['is required'];
  const ofType = typeFaultOf({ constraints });
  if (ofType !== undefined) return [ofType];
  const isText = typeof value === 'string' || Array.isArray(value);
  // What is no text has no length.
  const others = Object.entries(constraints).filter(([rule]) => isText || !LENGTHS.includes(rule));
  return others.length > 0 ? others.map(([, text]) => text) : texts;
}

function typeFaultOf({
  constraints = {},
}: Pick<ValidationError, 'constraints'>): string | undefined {
  const type = TYPES.find((one) => constraints[one] !== undefined);
  return type === undefined ? undefined : constraints[type];
}

function unknownMember(name: string, target: object | undefined): string {
  const known = target === undefined ? [] : membersOf(target.constructor);
  if (known.length === 0) return 'is not known here';
  const [meant] = nearest(name, known);
  const hint = meant === undefined ? '' : ` (is ${meant} meant?)`;
  return `is not known here${hint}; known: ${known.join(', ')}`;
}

/** The members of a DTO in the order they are declared in. */
function membersOf(dto: NewableFunction): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function fieldPath(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}
