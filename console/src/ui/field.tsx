import {
  cloneElement,
  createContext,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
  useState,
} from 'react';
import type { FieldViolation } from '../api/problem';

interface Described {
  readonly id?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/**
 * Whether what is wrong with fields was found when they were sent: it says nothing of what was written into one since. Elsewhere it is looked
 * at as one types.
 */
export const FoundWhenSent = createContext(false);

/** A labelled input with a hint, what is most likely meant otherwise and what is wrong with it. */
export function Field({
  label,
  hint,
  warning,
  error: found,
  children,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly warning?: string | undefined;
  readonly error?: string | undefined;
  readonly children: ReactElement<Described>;
}) {
  const id = useId();
  const isOldOnceEdited = useContext(FoundWhenSent);
  const [edited, setEdited] = useState<string>();
  // What is sent again has no error at first.
  if (found === undefined && edited !== undefined) setEdited(undefined);
  const error = found === edited ? undefined : found;
  const describedBy = [hint && `${id}-hint`, warning && `${id}-warning`, error && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field" onInput={() => isOldOnceEdited && setEdited(found)}>
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(error && { 'aria-invalid': true }),
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {warning && (
        <p className="field-warning" id={`${id}-warning`} role="status">
          {warning}
        </p>
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** What the hub said of one field of a request, `limits.openTasks` or what is below it. */
export function violationOf(
  violations: readonly FieldViolation[],
  field: string,
): string | undefined {
  const found = violations.filter(
    (each) => each.field === field || each.field.startsWith(`${field}.`),
  );
  return found.length === 0 ? undefined : found.map(({ description }) => description).join(' ');
}

export function TextInput(
  props: InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> },
) {
  return <input type="text" autoComplete="off" spellCheck={false} {...props} className="input" />;
}

export function TextArea(props: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea spellCheck={false} {...props} className="input" />;
}

export function Select({
  options,
  ...props
}: SelectHTMLAttributes<HTMLSelectElement> & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}) {
  return (
    <select {...props} className="input">
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function Checkbox({
  label,
  ...props
}: InputHTMLAttributes<HTMLInputElement> & { readonly label: ReactNode }) {
  return (
    <label className="checkbox">
      <input type="checkbox" {...props} />
      <span>{label}</span>
    </label>
  );
}
