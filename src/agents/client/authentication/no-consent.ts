/** The user in whose name the agent is called has not consented to that. Its message follows the agent's name, for clients to read. */
export class NoConsent extends Error {
  override readonly name = 'NoConsent';

  /** `refusedBy`: there was one, and who takes it, or its access token, no more. */
  constructor(server: string, refusedBy?: 'provider' | 'agent') {
    const why = {
      provider: `${server} does not take the consent that you have given any more; `,
      agent: `it does not take the access token of the consent that you have given; `,
    };
    const said = refusedBy === undefined ? '' : why[refusedBy];
    super(`was not called: ${said}it needs your consent at ${server}`);
  }
}
