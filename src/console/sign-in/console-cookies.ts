import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestHeaders } from '../../auth/index.js';
import { PublicUrl } from '../../config/index.js';
import { ATTEMPT_SECONDS } from './sign-in-attempts.js';

/** Browsers send cookies to every port of a host, and here to every path: those of several hubs have different names. */
const DIGITS = 8;
/** 256 bits, as base64url. */
const SECRET = /^[\w-]{43}$/;

/** The cookies of the console. With TLS no other host, and no page without TLS, can set one of their names (`__Host-`). */
@Injectable()
export class ConsoleCookies {
  constructor(private readonly publicUrl: PublicUrl) {}

  /** The secret of the session that a request brings. */
  sessionIn(headers: RequestHeaders): string | undefined {
    const value = this.read(headers, this.nameOf('console'));
    return value !== undefined && SECRET.test(value) ? value : undefined;
  }

  attemptsIn(headers: RequestHeaders): string | undefined {
    return this.read(headers, this.nameOf('sign-in'));
  }

  /** It is sent to nothing that another site asks for: the page itself needs none. */
  ofSession(secret: string, seconds: number): string {
    return this.written(this.nameOf('console'), secret, seconds, 'Strict');
  }

  /** Providers send browsers back from their own site. */
  ofAttempts(value: string): string {
    return this.written(this.nameOf('sign-in'), value, value === '' ? 0 : ATTEMPT_SECONDS, 'Lax');
  }

  get ended(): string {
    return this.ofSession('', 0);
  }

  private written(name: string, value: string, seconds: number, site: 'Strict' | 'Lax'): string {
    const secure = this.isSecure ? '; Secure' : '';
    return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${site}${secure}`;
  }

  private read({ cookie }: RequestHeaders, name: string): string | undefined {
    if (typeof cookie !== 'string') return undefined;
    const found = cookie
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each.startsWith(`${name}=`));
    // Two of one name: a page of a host beside may have set one of them.
    return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
  }

  private get isSecure(): boolean {
    return this.publicUrl.base.startsWith('https:');
  }

  private nameOf(what: 'console' | 'sign-in'): string {
    const { base } = this.publicUrl;
    const isAlone = this.isSecure && new URL(base).pathname === '/' && new URL(base).port === '';
    const digest = hash('sha256', base, 'hex').slice(0, DIGITS);
    return `${this.isSecure ? '__Host-' : ''}a2a-hub-${what}${isAlone ? '' : `-${digest}`}`;
  }
}
