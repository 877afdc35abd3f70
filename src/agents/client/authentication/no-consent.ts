/** The user in whose name the agent is called has not consented to that. Its message follows the agent's name, for clients to read. */
export class NoConsent extends Error {
  override readonly name = 'NoConsent';

  constructor(server: string) {
    super(`was not called: it needs your consent at ${server}`);
  }
}
