/** libuv's own default. */
const DEFAULT_THREADS = 4;

/** The threads of this process for lookups, files and the like, as `UV_THREADPOOL_SIZE` says. */
export function threadPoolSize(environment: NodeJS.ProcessEnv = process.env): number {
  const size = Number(environment['UV_THREADPOOL_SIZE']);
  return Number.isInteger(size) && size > 0 ? size : DEFAULT_THREADS;
}
