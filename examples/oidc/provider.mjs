// An identity provider for trying sign-in: oidc-provider with clients that get JWT access tokens. Not for production.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

const HELP = `node examples/oidc/provider.mjs [--port PORT]

Starts an OpenID provider on 127.0.0.1 (default: port 4010). Clients (id: secret) and what they may ask for:

  billing: billing-secret            hub.call
  operations: operations-secret      hub.call hub.operate
  console: console-secret            for people, who sign in to the console of a hub on 127.0.0.1 with any name and password

  curl http://127.0.0.1:4010/token -u billing:billing-secret \\
    -d grant_type=client_credentials -d scope=hub.call -d resource=http://127.0.0.1:4000
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

let answer = (_request, response) => void response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
await new Promise((resolve, reject) => {
  server.once('error', reject);
  server.listen(Number(values.port), '127.0.0.1', resolve);
});
const issuer = `http://127.0.0.1:${server.address().port}`;

const client = (client_id, scope) => ({
  client_id,
  client_secret: `${client_id}-secret`,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope,
});
const SCOPE = 'hub.call hub.operate';
const people = {
  client_id: 'console',
  client_secret: 'console-secret',
  // A native application may have any port of loopback.
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/console/sign-in/callback'],
  post_logout_redirect_uris: ['http://127.0.0.1/console/'],
};
const provider = new Provider(issuer, {
  clients: [client('billing', 'hub.call'), client('operations', SCOPE), people],
  scopes: ['openid', 'offline_access', ...SCOPE.split(' ')],
  pkce: { required: () => true },
  features: {
    clientCredentials: { enabled: true },
    // Pages where any name and password sign in.
    devInteractions: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      // Whatever a client names is the audience of its token.
      getResourceServerInfo: (_context, resource) => ({
        scope: SCOPE,
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 300,
      }),
    },
  },
});
answer = provider.callback();
console.log(`the provider is listening at ${issuer}`);
