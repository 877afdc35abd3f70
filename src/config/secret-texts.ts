import { isRecord } from '../common/is-record.js';

/** The passwords in the address of a proxy or a database, as they are written and as they are meant. */
export function passwordsIn(url: string | null): string[] {
  const [, user] = /:\/\/[^:@/?]*:(.*)@/s.exec(url ?? '') ?? [];
  const [, parameter] = /[?&]password=([^&]*)/.exec(url ?? '') ?? [];
  return [user, parameter].flatMap((each) => (each ? [each, decoded(each)] : []));
}

/** A secret with what stands before it in a header (`Bearer`) or a setting (`whsec_`), and without. */
export function withAndWithoutPrefix(text: string): string[] {
  return [text, text.replace(/^([\w-]+ +|whsec_)/, '')];
}

/** The texts of such members of the entries of a list, however deep they are. */
export function secretMembers(...names: readonly string[]): (value: unknown) => string[] {
  const textsOf = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(textsOf);
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([name, member]) =>
      names.includes(name) && typeof member === 'string'
        ? withAndWithoutPrefix(member)
        : textsOf(member),
    );
  };
  return textsOf;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
