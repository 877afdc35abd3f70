/** The user in whose name the agent is called has not consented to that. Its message follows the agent's name, for clients to read. */
export class NoConsent extends Error {
  override readonly name = 'NoConsent';

  /** `isOver`: there was one. */
  constructor(server: string, isOver = false) {
    const why = isOver ? `${server} does not take the consent that you have given any more; ` : '';
    super(`was not called: ${why}it needs your consent at ${server}`);
  }
}
