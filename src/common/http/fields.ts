import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsOptional,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import {
  choice,
  type FieldOptions,
  flag,
  int,
  json,
  type Kind,
  type ListOptions,
  nested,
  num,
  other,
  queryFlag,
  secret,
  text,
  time,
  url,
} from './field-kinds.js';
import { rememberField } from './view.js';

/*
 * The fields of the admin API. One decorator says all there is to say of a field: how it is described in OpenAPI,
 * what is accepted in a request, and what it is transformed to.
 */

export const Text = given(text);
export const Url = given(url);
export const Choice = given(choice);
export const Time = given(time);
export const Int = given(int);
export const Num = given(num);
export const Flag = given(flag);
export const QueryFlag = given(queryFlag);
export const Nested = given(nested);
export const Json = given(json);
export const Secret = given(secret);

/** The fields of answers, which are described and not checked; see `fill`. */
export const Shown = {
  Text: shown(text),
  Choice: shown(choice),
  Time: shown(time),
  Int: shown(int),
  Num: shown(num),
  Flag: shown(flag),
  Nested: shown(nested),
  Json: shown(json),
  Other: shown(other),
};

/** Of a request: decorators that describe the field, check and transform it. */
function given<Args extends readonly unknown[]>(kind: (...args: Args) => Kind) {
  return (...args: Args): PropertyDecorator => {
    const { field, shown: type, checks, read, dto } = kind(...args);
    const { optional = false, nullable = false, list } = field;
    const each = { each: list !== undefined };
    const decorators = [
      ApiProperty(describe(field, type)),
      ...ifGiven(optional, nullable),
      ...(list === undefined ? [] : checkedList(list)),
      ...checks.map((check) => check(each)),
      ...(dto === undefined ? [] : [Type(dto)]),
      ...(read === undefined ? [] : [Transform(({ value }) => read(value))]),
    ];
    // As if they stood above each other: what is checked first comes first in the text of a refusal.
    return applyDecorators(...decorators.reverse());
  };
}

/** Of an answer. */
function shown<Args extends readonly unknown[]>(kind: (...args: Args) => Kind) {
  return (...args: Args): PropertyDecorator => {
    const { field, shown: type } = kind(...args);
    return applyDecorators(rememberField, ApiProperty(describe(field, type)));
  };
}

function describe(
  { optional = false, nullable = false, list, ...field }: FieldOptions,
  type: ApiPropertyOptions,
): ApiPropertyOptions {
  return {
    ...type,
    ...field,
    ...(nullable && { nullable }),
    required: optional === false,
    ...(list !== undefined && describedList(list)),
  } as ApiPropertyOptions;
}

function ifGiven(optional: FieldOptions['optional'], nullable: boolean): PropertyDecorator[] {
  if (optional === 'or-null' || (optional === true && nullable)) return [IsOptional()];
  if (optional === true) return [ValidateIf((_, value) => value !== undefined)];
  return nullable ? [ValidateIf((_, value) => value !== null)] : [];
}

function describedList(list: true | ListOptions): object {
  const { min, max, unique } = list === true ? ({} as ListOptions) : list;
  return {
    isArray: true,
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...(unique && { uniqueItems: true }),
  };
}

function checkedList(list: true | ListOptions): PropertyDecorator[] {
  const { min, max, unique } = list === true ? ({} as ListOptions) : list;
  return [
    IsArray(),
    ...(min === undefined ? [] : [ArrayNotEmpty()]),
    ...(max === undefined ? [] : [ArrayMaxSize(max)]),
    ...(unique ? [distinct(max)] : []),
  ];
}

/** No entry twice. Of a list that is too long another rule says that. */
function distinct(max = Infinity): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    !Array.isArray(value) || value.length > max || new Set(value).size === value.length;
  const defaultMessage = (): string => '$property must not have an entry twice';
  return ValidateBy({ name: 'isDistinct', validator: { validate, defaultMessage } });
}
