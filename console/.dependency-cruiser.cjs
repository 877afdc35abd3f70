/**
 * Who may import whom in the console: api < ui < pages < app. Pages know `app/root`, which their routes are below, and
 * nothing of each other.
 */
const PAGES = ['overview', 'tasks', 'agents', 'routing', 'webhooks', 'access', 'playground'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { pathNot: 'lazy' }, dynamic: false },
    },
    {
      name: 'api-knows-no-view',
      severity: 'error',
      from: { path: '^console/src/api/' },
      to: { path: '^console/src/(ui|pages|app)/' },
    },
    {
      name: 'ui-knows-no-page',
      severity: 'error',
      from: { path: '^console/src/ui/' },
      to: { path: '^console/src/(pages|app)/' },
    },
    {
      name: 'pages-know-only-the-root',
      severity: 'error',
      from: { path: '^console/src/pages/' },
      to: { path: '^console/src/app/', pathNot: '^console/src/app/root' },
    },
    ...PAGES.map((page) => ({
      name: `${page}-knows-no-other-page`,
      severity: 'error',
      from: { path: `^console/src/pages/${page}/` },
      to: { path: '^console/src/pages/', pathNot: `^console/src/pages/${page}/` },
    })),
    { name: 'nothing-of-the-hub', severity: 'error', from: {}, to: { path: '^(src|test)/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
  },
};
