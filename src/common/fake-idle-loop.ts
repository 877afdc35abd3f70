import { afterEach, beforeEach, jest } from '@jest/globals';

/** No rest of long work is needed in the tests of this file: however many turns one counts, it waits for none. */
export function useIdleLoop(): void {
  beforeEach(() => {
    jest
      .spyOn(performance, 'eventLoopUtilization')
      .mockReturnValue({ idle: 1, active: 0, utilization: 0 });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });
}
