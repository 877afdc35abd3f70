import type { ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  isISO8601,
  IsNumber,
  IsObject,
  IsPositive,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { isRecord } from '../is-record.js';
import type { TextForm } from './text-forms.js';

/*
 * The kinds of fields of the admin API: how each is described in OpenAPI, and how a value is checked.
 */

/** How many entries a list has. */
export interface ListOptions {
  /** 1: not empty. */
  readonly min?: 1;
  readonly max?: number;
  /** No entry twice. */
  readonly unique?: boolean;
}

export interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly format?: string;
  /** It may be absent; `or-null`: null says the same. */
  readonly optional?: boolean | 'or-null';
  /** Null is a value of its own. */
  readonly nullable?: boolean;
  /** It is a list, and all the rest is of each entry. */
  readonly list?: true | ListOptions;
}

interface TextOptions extends FieldOptions {
  /** The length. */
  readonly min?: 1;
  readonly max?: number;
  readonly like?: TextForm;
}

interface UrlOptions extends FieldOptions {
  /** Such as `https`. */
  readonly schemes: readonly string[];
  readonly max: number;
  readonly example: string;
}

interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

interface DecimalOptions extends NumberOptions {
  /** Zero is too little. */
  readonly isPositive?: boolean;
}

/** Checks a value or, `each`, the entries of a list. */
export type Check = (each: { readonly each: boolean }) => PropertyDecorator;

/** What decorators make of a field. */
export interface Kind {
  readonly field: FieldOptions;
  /** Its type in OpenAPI, and the limits that it shows. */
  readonly shown: ApiPropertyOptions;
  readonly checks: readonly Check[];
  /** What a value is transformed to before it is checked. */
  readonly read?: (value: unknown) => unknown;
  /** The class of a nested object. */
  readonly dto?: () => new () => object;
}

/** A text. */
export const text = ({ min, max, like, ...field }: TextOptions = {}) =>
  kindOf(
    field,
    {
      type: String,
      ...(min !== undefined && { minLength: min }),
      ...(max !== undefined && { maxLength: max }),
      ...(like?.isShown && { pattern: like.pattern.source }),
    },
    [
      // A form says more than that it is a text.
      ...(like === undefined || max !== undefined ? [IsString] : []),
      ...(min === undefined ? [] : [(each: { each: boolean }) => MinLength(min, each)]),
      ...(max === undefined ? [] : [(each: { each: boolean }) => MaxLength(max, each)]),
      ...(like === undefined ? [] : [hasForm(like)]),
    ],
  );

/**
 * The address of something that is called. Hosts without a dot (`localhost`, names of containers) count; what may be
 * called, egress says.
 */
export const url = ({ schemes, max, ...field }: UrlOptions) => {
  const rule = {
    protocols: [...schemes],
    require_protocol: true,
    require_tld: false,
    allow_underscores: true,
  };
  const names = `${schemes.slice(0, -1).join(', ')} or ${schemes.at(-1)}`;
  const message = `$property must be an ${names} address, such as ${field.example}`;
  return kindOf(field, { type: String, maxLength: max }, [
    () => IsUrl(rule, { message }),
    (each) => MaxLength(max, each),
  ]);
};

/** One of these texts. */
export const choice = (values: readonly string[], field: FieldOptions = {}) =>
  kindOf(field, { enum: [...values] }, [(each) => IsIn(values, each)]);

/** ISO 8601 has times that JavaScript does not read (`20270131`, `2027-W05`): they would be no time at all. What is none in ISO 8601 either, another rule says. */
const READABLE_TIME = {
  name: 'isReadableTime',
  validator: {
    validate: (value: unknown): boolean =>
      typeof value !== 'string' ||
      !isISO8601(value, { strict: true }) ||
      (/^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
    defaultMessage: (): string => '$property must be a time such as 2026-01-31T12:00:00Z',
  },
};

/** A time with its date, in ISO 8601. */
export const time = (field: FieldOptions = {}) =>
  kindOf(field, { type: String, format: 'date-time' }, [
    () => IsISO8601({ strict: true }),
    (each) => ValidateBy(READABLE_TIME, each),
    (each) => MaxLength(40, each),
  ]);

/** What such a field holds. */
export function timeOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

/** A whole number. */
export const int = ({ min, max, ...field }: NumberOptions = {}) =>
  kindOf(field, { type: 'integer', ...bounds({ min, max }) }, [IsInt, ...between({ min, max })]);

/** Any number. */
export const num = ({ min, max, isPositive, ...field }: DecimalOptions = {}) =>
  kindOf(field, { type: Number, ...bounds({ min, max }) }, [
    (each) => IsNumber({}, each),
    ...(isPositive ? [IsPositive] : []),
    ...between({ min, max }),
  ]);

/** True or false. */
export const flag = (field: FieldOptions = {}) => kindOf(field, { type: Boolean }, [IsBoolean]);

const NO_LISTS = {
  name: 'holdsNoLists',
  validator: {
    validate: (value: unknown): boolean =>
      !Array.isArray(value) || !value.some((each) => Array.isArray(each)),
    defaultMessage: (): string => '$property must hold objects, not lists',
  },
};

/** An object with fields of its own; the class is asked for late, so that classes may name each other. */
export const nested = (
  dto: () => new (...args: never[]) => object,
  field: FieldOptions = {},
): Kind => ({
  field,
  // Swagger knows by the name of the function that it has to be called.
  shown: { type: () => dto() },
  checks: [
    // An entry that is none is the fault of the list; one that is a list itself would be taken for more entries.
    ...(field.list === undefined ? [() => IsObject()] : [() => ValidateBy(NO_LISTS)]),
    (each) => ValidateNested(each),
  ],
  dto: dto,
});

/** In the place of a secret: where it is kept. */
export const SECRET_REFERENCE = {
  type: 'object',
  required: ['secretRef'],
  properties: {
    secretRef: {
      type: 'string',
      description:
        'env:NAME, file:/PATH, vault:PATH#FIELD or aws:NAME; what secrets.references allows.',
    },
  },
  additionalProperties: false,
} as const;

/** A text that is never shown, or an object that says where it is kept; what that holds, who reads it checks. */
export const secret = ({ max, ...field }: FieldOptions & { readonly max: number }): Kind => {
  const validate = (value: unknown): boolean =>
    isRecord(value) || (typeof value === 'string' && value.length <= max);
  const defaultMessage = (): string =>
    `$property must be a text of at most ${max} characters, or an object with secretRef`;
  return kindOf(
    { writeOnly: true, ...field },
    { oneOf: [{ type: 'string', maxLength: max }, SECRET_REFERENCE] } as ApiPropertyOptions,
    [() => ValidateBy({ name: 'isSecret', validator: { validate, defaultMessage } })],
  );
};

/** An object of any members; `values`: what each is, in OpenAPI's words. */
export const json = ({
  values = true,
  ...field
}: FieldOptions & { readonly values?: true | Readonly<Record<string, unknown>> } = {}) =>
  kindOf(field, { type: 'object', additionalProperties: values }, [IsObject]);

/** True or false in a query, where all is text. */
export const queryFlag = (field: FieldOptions = {}): Kind => ({
  ...kindOf(field, { enum: ['true', 'false'] }, [() => IsBoolean()]),
  read: (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
});

/** Any value; `shown`: how OpenAPI describes it. */
export const other = (shown: ApiPropertyOptions, field: FieldOptions = {}): Kind =>
  kindOf(field, shown, []);

function kindOf(field: FieldOptions, shown: ApiPropertyOptions, checks: readonly Check[]): Kind {
  return { field, shown, checks };
}

function bounds({ min, max }: NumberOptions): object {
  return {
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  };
}

function between({ min, max }: NumberOptions): Check[] {
  return [
    ...(min === undefined ? [] : [(each: { each: boolean }) => Min(min, each)]),
    ...(max === undefined ? [] : [(each: { each: boolean }) => Max(max, each)]),
  ];
}

function hasForm({ pattern, rule }: TextForm): Check {
  return ({ each }) =>
    Matches(pattern, { each, message: `${each ? 'each' : '$property'} ${rule}` });
}
