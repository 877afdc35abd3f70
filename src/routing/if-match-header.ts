/** The header by which a request changes only the version that it was made for, as OpenAPI has it. */
export function ifMatchOf(what: string) {
  return {
    name: 'If-Match',
    required: false,
    description: `The ETag of the version to change; if the ${what} has another version the answer is 409.`,
  };
}
