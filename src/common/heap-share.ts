import { getHeapStatistics } from 'node:v8';

/** This part of what V8's heap of this process may be, in bytes, but `most` at most: a process with a small heap has less. */
export function heapShare(part: number, most: number): number {
  return Math.min(most, getHeapStatistics().heap_size_limit * part);
}
