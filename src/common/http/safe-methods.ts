/** Methods by which nothing is changed (RFC 9110 §9.2.1), of those that are served. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
