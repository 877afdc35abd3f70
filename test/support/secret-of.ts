/** The secret of an API key (`hub_<id>_<secret>`). It is base64url, so that it may have `_` too. */
export function secretOf(key: string): string {
  return key.split('_').slice(2).join('_');
}
