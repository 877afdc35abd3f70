import type { AgentCard } from '../../protocol/a2a.js';

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

/** How callers prove who they are, as cards say it; with `auth.mode: none` there is nothing to say. */
export function hubSecurity(mode: 'keys' | 'none'): Security {
  if (mode === 'none') return { securitySchemes: {}, securityRequirements: [] };
  return {
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { scheme: 'Bearer', bearerFormat: '', description: 'An API key of the hub.' },
        },
      },
      apiKey: {
        scheme: {
          $case: 'apiKeySecurityScheme',
          value: {
            location: 'header',
            name: 'X-API-Key',
            description: 'An API key of the hub.',
          },
        },
      },
    },
    // Either of them is enough.
    securityRequirements: [
      { schemes: { bearer: { list: [] } } },
      { schemes: { apiKey: { list: [] } } },
    ],
  };
}
