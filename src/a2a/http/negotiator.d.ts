/** What the hub uses of negotiator, which has no types of its own. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: { readonly accept?: string | undefined } });

    /** Those of `available` that are accepted, the preferred one first. */
    mediaTypes(available: readonly string[]): string[];
  }
}
