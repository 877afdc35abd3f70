// An identity provider for trying sign-in: oidc-provider with clients that get JWT access tokens. Not for production.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

const HELP = `node examples/oidc/provider.mjs [--port PORT]

Starts an OpenID provider on 127.0.0.1 (default: port 4010). Clients (id: secret) and what they may ask for:

  billing: billing-secret            hub.call
  operations: operations-secret      hub.call hub.operate

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
const provider = new Provider(issuer, {
  clients: [client('billing', 'hub.call'), client('operations', SCOPE)],
  scopes: SCOPE.split(' '),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
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
