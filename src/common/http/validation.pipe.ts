import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type FieldViolation, HubError } from '../hub-error.js';

/** The pipe of the admin API: DTOs are checked whole, and members they do not have are refused. */
export function adminValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    transform: true,
    exceptionFactory: (errors) => {
      const violations = errors.flatMap((error) => violationsOf(error, ''));
      const detail = violations.map(({ field, description }) => `${field}: ${description}`);
      return new HubError('INVALID_PARAMS', detail.join('; '), { violations });
    },
  });
}

function violationsOf(error: ValidationError, parent: string): FieldViolation[] {
  const field = fieldPath(parent, error.property);
  const own = Object.values(error.constraints ?? {}).map((text) => ({
    field,
    // class-validator begins its texts with the bare property, which `field` says already.
    description: text.replace(new RegExp(`^(property )?${escape(error.property)} `), ''),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => violationsOf(child, field))];
}

function fieldPath(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
