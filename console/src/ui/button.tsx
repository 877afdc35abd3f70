import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly small?: boolean;
  /** Under way: it cannot be pressed again, and says so to screen readers. */
  readonly busy?: boolean;
  readonly icon?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = 'plain',
  small = false,
  busy = false,
  icon,
  className,
  children,
  disabled,
  type = 'button',
  ...others
}: ButtonProps) {
  return (
    <button
      {...others}
      type={type}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames('button', `button-${kind}`, small && 'button-small', className)}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}
