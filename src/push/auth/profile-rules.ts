import { type FieldViolation, invalidFields } from '../../common/hub-error.js';
import { parseUrlPattern } from './domain/url-pattern.js';
import type { GivenParameters, ProfileScheme } from './schemes/scheme.js';
import { PARAMETERS, type ProfileSchemeName, profileScheme } from './schemes/schemes.js';

/** Throws INVALID_PARAMS naming each field that a profile of this scheme lacks, or cannot have. */
export function checkParameters(scheme: ProfileSchemeName, given: GivenParameters): void {
  const { parameters } = profileScheme(scheme);
  const violations = PARAMETERS.flatMap((field): FieldViolation[] => {
    const value = given[field];
    const parameter = parameters[field];
    if (value === undefined) {
      if (parameter?.required !== true) return [];
      return [{ field, description: `is required for the scheme ${scheme}` }];
    }
    if (parameter === undefined) {
      return [{ field, description: `is not for the scheme ${scheme}` }];
    }
    const description = value === '' ? 'must not be empty' : parameter.rule?.(value);
    return description === undefined ? [] : [{ field, description }];
  });
  if (violations.length > 0) throw invalidFields(violations);
}

/** Throws INVALID_PARAMS when the scheme cannot use this secret, or needs one. Never shows it. */
export function checkSecret(
  scheme: ProfileSchemeName,
  secret: string | undefined,
  given: GivenParameters,
  now: Date,
): void {
  const { secret: rules, check } = profileScheme(scheme);
  const description = secretFault(scheme, secret, rules);
  const violations = [
    ...(description === undefined ? [] : [{ field: 'secret', description }]),
    ...(check?.(secret, given, now) ?? []),
  ];
  if (violations.length > 0) throw invalidFields(violations);
}

function secretFault(
  scheme: ProfileSchemeName,
  secret: string | undefined,
  rules: ProfileScheme['secret'],
): string | undefined {
  if (rules === null) {
    if (secret === undefined) return undefined;
    return `is not for the scheme ${scheme}, whose keys are those of the hub`;
  }
  if (secret !== undefined) return rules.rule?.(secret);
  return rules.make === undefined ? `is required for the scheme ${scheme}` : undefined;
}

/** Throws INVALID_PARAMS naming each pattern that cannot be read, or does not fit the scheme. */
export function checkUrls(scheme: ProfileSchemeName, urls: readonly string[]): void {
  const violations = urls.flatMap((written, i): FieldViolation[] => {
    const field = `urls[${i}]`;
    const pattern = parseUrlPattern(written);
    if (!pattern) {
      return [
        { field, description: 'must be like https://hooks.example.com/path or *.example.com' },
      ];
    }
    if (profileScheme(scheme).needsTls && pattern.protocol === 'http:') {
      return [{ field, description: `must be https for the scheme ${scheme}` }];
    }
    return [];
  });
  if (violations.length > 0) throw invalidFields(violations);
}
