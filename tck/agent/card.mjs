/**
 * The agent's card: every binding in 1.0 and 0.3, nothing that needs credentials.
 * @param urls - Where each binding listens: `jsonRpc`, `rest`, and `grpc` as `host:port`.
 */
export function agentCard({ jsonRpc, rest, grpc }) {
  return {
    name: 'Conformance agent',
    description: 'Does what the conformance kit asks for, by the beginning of the messageId.',
    version: '1.0.0',
    supportedInterfaces: [
      offer(jsonRpc, 'JSONRPC', '1.0'),
      offer(rest, 'HTTP+JSON', '1.0'),
      offer(grpc, 'GRPC', '1.0'),
      offer(jsonRpc, 'JSONRPC', '0.3'),
      offer(rest, 'HTTP+JSON', '0.3'),
      // Clients of 0.3 expect a URL where those of 1.0 expect a gRPC target.
      offer(`http://${grpc}`, 'GRPC', '0.3'),
    ],
    provider: { organization: 'A2A Hub', url: 'https://example.com' },
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    // The older kits test files and data only with an agent that names these modes.
    defaultInputModes: ['text', 'text/plain', 'file', 'data', 'application/json'],
    defaultOutputModes: ['text', 'text/plain', 'file', 'data', 'application/json'],
    skills: [
      {
        id: 'conformance',
        name: 'Conformance',
        description: 'Answers the messages of the conformance kit.',
        tags: ['tck'],
        examples: ['Hello from TCK'],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    documentationUrl: '',
    signatures: [],
  };
}

function offer(url, protocolBinding, protocolVersion) {
  return { url, protocolBinding, protocolVersion, tenant: '' };
}
