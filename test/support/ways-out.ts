import ts from 'typescript';

/**
 * What each module offers that opens connections; `*` is everything. A name that is not here is not
 * looked at: a new dependency has to be added to {@link HARMLESS} or to this table.
 */
const CONNECTING: Readonly<Record<string, readonly string[]>> = {
  undici: ['*'],
  http: ['request', 'get', 'Agent', 'globalAgent', 'ClientRequest'],
  https: ['request', 'get', 'Agent', 'globalAgent'],
  http2: ['connect'],
  net: ['connect', 'createConnection', 'Socket', 'Stream'],
  tls: ['connect', 'TLSSocket'],
  dgram: ['*'],
  dns: ['*'],
  'dns/promises': ['*'],
  inspector: ['*'],
  child_process: ['*'],
  '@grpc/grpc-js': [
    'Client',
    'Channel',
    'credentials',
    'ChannelCredentials',
    'loadPackageDefinition',
    'makeClientConstructor',
    'makeGenericClientConstructor',
  ],
  '@a2a-js/sdk/client': ['ClientFactory', 'DefaultAgentCardResolver', 'A2AClient'],
  '@a2a-js/sdk/client/grpc': ['*'],
  jose: ['createRemoteJWKSet'],
  'openid-client': ['*'],
};

/** Clients that use the global `fetch` unless they are given another by this name in the same file. */
const TAKES_FETCH: Readonly<
  Record<string, { readonly names: readonly string[]; readonly by: string }>
> = {
  oauth4webapi: { names: ['*'], by: 'customFetch' },
  '@a2a-js/sdk/client': {
    names: ['JsonRpcTransport', 'RestTransport'],
    by: 'fetchImpl',
  },
  '@a2a-js/sdk/compat/v0_3/client': {
    names: ['LegacyJsonRpcTransport', 'LegacyRestTransport'],
    by: 'fetchImpl',
  },
};

const GLOBALS: ReadonlySet<string> = new Set([
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
]);

/** What a source without any way out does not have; reading the others takes time. */
const SUSPICIOUS = new RegExp(
  [
    ...GLOBALS,
    ...[...Object.keys(CONNECTING), ...Object.keys(TAKES_FETCH)].map((name) => `['":]${name}['"]`),
    String.raw`\bimport\(`,
    'require',
    'createRequire',
    'getBuiltinModule',
    'binding',
  ].join('|'),
);

/** Packages of `dependencies` that connect to nothing, or to the database of the operator only. */
export const HARMLESS: ReadonlySet<string> = new Set([
  '@cedar-policy/cedar-wasm',
  '@fastify/static',
  '@bufbuild/protobuf',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@opentelemetry/otlp-transformer',
  'better-sqlite3-napi',
  'class-transformer',
  'class-validator',
  'fastify',
  'find-my-way',
  'ipaddr.js',
  'negotiator',
  'pg',
  'pino',
  'pino-pretty',
  'prom-client',
  'rate-limiter-flexible',
  're2js',
  'reflect-metadata',
  'rxjs',
  'typeorm',
  'uuid',
  'yaml',
]);

/** Whether somebody has looked at what this dependency can connect to. */
export function isKnownPackage(name: string): boolean {
  const connecting = [...Object.keys(CONNECTING), ...Object.keys(TAKES_FETCH)];
  return HARMLESS.has(name) || connecting.some((one) => one === name || one.startsWith(`${name}/`));
}

/** How a source gets hold of something that connects; empty when it does not. Types do not count. */
export function waysOut(source: string): string[] {
  if (!SUSPICIOUS.test(source)) return [];
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const own = new Set(file.statements.flatMap(namesMadeBy));
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      found.push(...ofDeclaration(node, source));
      return;
    }
    const loaded = ts.isCallExpression(node) ? loadedBy(node) : undefined;
    if (loaded !== undefined && touches(loaded)) found.push(`loads ${loaded}`);
    if (isGlobal(node) && !own.has(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Names that a file gives to things of its own, or takes from other files of the hub. */
function namesMadeBy(statement: ts.Statement): readonly string[] {
  if (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
    return statement.name ? [statement.name.text] : [];
  }
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
    return [];
  if (!statement.moduleSpecifier.text.startsWith('.')) return [];
  const bindings = statement.importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map(({ name }) => name.text);
}

function ofDeclaration(
  node: ts.ImportDeclaration | ts.ExportDeclaration,
  source: string,
): readonly string[] {
  if (node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier)) return [];
  const from = bare(node.moduleSpecifier.text);
  const names = ts.isImportDeclaration(node) ? importedBy(node) : exportedBy(node);
  const forbidden = CONNECTING[from] ?? [];
  const lent = TAKES_FETCH[from];
  const withoutFetch = lent && !source.includes(lent.by) ? lent.names : [];
  return names
    .filter((name) => [forbidden, withoutFetch].some((list) => fits(name, list)))
    .map((name) => `${name} of ${from}`);
}

function fits(name: string, list: readonly string[]): boolean {
  return list.includes(name) || (list.length > 0 && (name === '*' || list.includes('*')));
}

/** The names of the values a file imports; `*` for all of a module, also as its default. */
function importedBy({ importClause }: ts.ImportDeclaration): readonly string[] {
  if (importClause === undefined) return [];
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const { name, namedBindings } = importClause;
  const all = name === undefined ? [] : ['*'];
  if (namedBindings === undefined) return all;
  if (ts.isNamespaceImport(namedBindings)) return [...all, '*'];
  return [...all, ...namesOf(namedBindings.elements)];
}

function exportedBy({ isTypeOnly, exportClause }: ts.ExportDeclaration): readonly string[] {
  if (isTypeOnly) return [];
  if (exportClause === undefined || ts.isNamespaceExport(exportClause)) return ['*'];
  return namesOf(exportClause.elements);
}

function namesOf(
  elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[],
): readonly string[] {
  return elements
    .filter((element) => !element.isTypeOnly)
    .map(({ name, propertyName }) => (propertyName ?? name).text)
    .map((name) => (name === 'default' ? '*' : name));
}

/** The module of `import('x')`, `require('x')` and what `createRequire` made; `?` when it is computed. */
function loadedBy(call: ts.CallExpression): string | undefined {
  const { expression } = call;
  const [first] = call.arguments;
  const loads =
    expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(expression) && /^(require|createRequire)$/.test(expression.text)) ||
    (ts.isPropertyAccessExpression(expression) &&
      /^(getBuiltinModule|binding|createRequire)$/.test(expression.name.text));
  if (!loads) return undefined;
  return first !== undefined && ts.isStringLiteralLike(first) ? bare(first.text) : '?';
}

function touches(module: string): boolean {
  return module === '?' || module in CONNECTING || module in TAKES_FETCH;
}

/** `fetch`, `globalThis.fetch`, `{ fetch }`, but neither a member of something else nor a declaration. */
function isGlobal(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node) || !GLOBALS.has(node.text)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return /^(globalThis|global|self|window)$/.test(parent.expression.getText());
  }
  const declares =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertySignature(parent);
  return !(declares && parent.name === node);
}

function bare(module: string): string {
  return module.replace(/^node:/, '');
}
