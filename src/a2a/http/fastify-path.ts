/**
 * `/tasks/{id}:cancel` as Fastify writes it. The pattern keeps `:cancel` and `:subscribe` apart, and lets
 * an id have colons of its own.
 */
export function fastifyPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=::)/g, ':$1(^.+)')
    .replace(/\{(\w+)\}/g, ':$1');
}
