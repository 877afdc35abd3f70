/*
 * Addresses of databases as people may see them.
 */

const POSTGRES = /^postgres(ql)?:\/\//;

/** Where the database is: `host:port/name` of PostgreSQL, without who comes and with which password; else as it is written. */
export function databaseLocation(url: string): string {
  if (!POSTGRES.test(url)) return url;
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
  } catch {
    return 'of database.url';
  }
}

/** The address with the password masked. Parameters of PostgreSQL, one of which may be the password, are left out. */
export function maskedDatabaseUrl(url: string): string {
  if (!POSTGRES.test(url)) return url;
  return url.replace(/(:\/\/[^:@/?]*):.*@/s, '$1:********@').replace(/\?.*$/s, '?…');
}
