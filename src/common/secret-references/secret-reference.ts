/** Where a secret is kept: `env:NAME`, `file:PATH#MEMBER`, `vault:PATH#FIELD`, `aws:NAME#MEMBER`. It is no secret itself. */
export interface SecretReference {
  readonly scheme: ReferenceScheme;
  /** The name of a variable or of an AWS secret, the path of a file, the path of a secret below Vault's mount. */
  readonly path: string;
  /** The member of the JSON object, or of the secret in Vault; null: all of it. */
  readonly member: string | null;
  /** As it is written. */
  readonly text: string;
}

export const REFERENCE_SCHEMES = ['env', 'file', 'vault', 'aws'] as const;
export type ReferenceScheme = (typeof REFERENCE_SCHEMES)[number];

export const MAX_REFERENCE = 1024;
const FORM = /^(env|file|vault|aws):([^#]+)(?:#([^#]+))?$/;
const MEMBER = /^[\w.@-]{1,200}$/;

/** What stands behind the scheme: its form, and how people are told. */
const PATHS: Readonly<Record<ReferenceScheme, readonly [RegExp, string]>> = {
  env: [/^[A-Za-z_][A-Za-z0-9_]*$/, 'env:NAME, the name of a variable'],
  file: [
    /^\/(?!.*\/\.{1,2}(\/|$))(?!.*\/\/)[^\p{Cc}]*[^/\p{Cc}]$/u,
    'file:/PATH or file:/PATH#MEMBER, an absolute path without . and .. in it',
  ],
  vault: [
    /^(?!\.{1,2}(\/|$))[\w.@~+=-]+(\/(?!\.{1,2}(\/|$))[\w.@~+=-]+)*$/,
    'vault:PATH#FIELD, the path below secrets.vault.mount',
  ],
  aws: [/^[\w/+=.@:!-]+$/, 'aws:NAME or aws:ARN, with #MEMBER for one member of a JSON object'],
};

/** Reads a reference; a text instead says what is wrong with it. */
export function readReference(text: unknown): SecretReference | string {
  const [, scheme, path, member] =
    (typeof text === 'string' && text.length <= MAX_REFERENCE && FORM.exec(text)) || [];
  if (!isScheme(scheme) || path === undefined) {
    return `must be a reference of at most ${MAX_REFERENCE} characters: env:NAME, file:/PATH, vault:PATH#FIELD or aws:NAME`;
  }
  const [form, wording] = PATHS[scheme];
  const needsMember = scheme === 'vault';
  const takesMember = scheme !== 'env';
  const isRight =
    form.test(path) && (member === undefined ? !needsMember : takesMember && MEMBER.test(member));
  if (!isRight) return `must be ${wording}`;
  return { scheme, path, member: member ?? null, text: String(text) };
}

function isScheme(text: string | undefined): text is ReferenceScheme {
  return (REFERENCE_SCHEMES as readonly (string | undefined)[]).includes(text);
}
