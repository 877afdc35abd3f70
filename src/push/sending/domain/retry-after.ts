/** No receiver means more; what is honoured is less by far (`push.retryAfterMax`). */
const LONGEST_SECONDS = 366 * 24 * 3600;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const TIME = '(\\d{2}):(\\d{2}):(\\d{2})';
/** RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the form that is sent today. */
const FIXDATE = new RegExp(`^[A-Z][a-z]{2}, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) ${TIME} GMT$`);
/** `Sunday, 06-Nov-94 08:49:37 GMT`. */
const RFC850 = new RegExp(`^[A-Z][a-z]+day, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) ${TIME} GMT$`);
/** `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \\d]\\d) ${TIME} (\\d{4})$`);

/**
 * `Retry-After` in milliseconds from `now`: whole seconds or a date of HTTP (RFC 9110 §10.2.3), at most
 * a year. A date that is over is 0. Null when absent or anything else: a negative number, a fraction,
 * `soon`. Of several headers the first counts.
 */
export function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: Date,
): number | null {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value), LONGEST_SECONDS) * 1000;
  const at = httpDate(value, now);
  if (at === undefined) return null;
  return Math.min(Math.max(0, at - now.getTime()), LONGEST_SECONDS * 1000);
}

/** Epoch milliseconds. `Date.parse` would take `-5` and `soon 5` for dates too. */
function httpDate(text: string, now: Date): number | undefined {
  const fixed = FIXDATE.exec(text);
  if (fixed) return timeOf(fixed[3], fixed[2], fixed[1], fixed.slice(4));
  const obsolete = RFC850.exec(text);
  if (obsolete)
    return timeOf(fullYear(obsolete[3], now), obsolete[2], obsolete[1], obsolete.slice(4));
  const ascii = ASCTIME.exec(text);
  return ascii ? timeOf(ascii[6], ascii[1], ascii[2], ascii.slice(3, 6)) : undefined;
}

function timeOf(
  year: string | number | undefined,
  month: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: readonly string[],
): number | undefined {
  const index = MONTHS.indexOf(month ?? '');
  if (index < 0) return undefined;
  return Date.UTC(
    Number(year),
    index,
    Number(day),
    Number(hours),
    Number(minutes),
    Number(seconds),
  );
}

/** Two digits mean a year of at most 50 years ahead (RFC 9110 §5.6.7). */
function fullYear(twoDigits: string | undefined, now: Date): number {
  const ahead = now.getUTCFullYear() + 50;
  const year = ahead - (ahead % 100) + Number(twoDigits);
  return year > ahead ? year - 100 : year;
}
