export interface BackOffOptions {
  /** First delay in milliseconds. */
  readonly firstMs: number;
  /** Longest delay in milliseconds. */
  readonly longestMs: number;
  /** @default Math.random */
  readonly random?: () => number;
}

/** How long to wait after a number of failures in a row: doubled each time, and of that between a half and all, so that many do not come at once. */
export function backOffMs(failures: number, { firstMs, longestMs, random = Math.random }: BackOffOptions): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return whole / 2 + random() * whole / 2;
}

/** Waits, but no longer than until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
