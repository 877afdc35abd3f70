/** The header that says on whose behalf a hub calls: a JWT that it signs. */
export const CALLER_HEADER = 'A2A-Hub-Caller';
/** Its type (RFC 8725 §3.11): it is not to be taken for any other token of the hub. */
export const CALLER_TOKEN_TYPE = 'a2a-hub-caller+jwt';
/** How long it is valid, in seconds: a call begins at once. */
export const CALLER_TOKEN_SECONDS = 300;

/** Whom such a token is for: scheme, host and port of an interface; of a gRPC address without a scheme the address itself. */
export function callerAudience(url: string): string {
  if (!/^[a-z]+:\/\//i.test(url)) return url;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
