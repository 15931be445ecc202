/** Starts something, uses it, waits for Ctrl-C or a failure, and stops it in any case. Ctrl-C while it starts counts when it has started. */
export async function untilInterrupted<T extends { stop(): Promise<void> }>(start: () => Promise<T>, use: (started: T) => Promise<void>) {
  const interrupted = new Promise<void>((resolve) => {
    // Not just once: a second one, as tsx hands on besides the terminal, must not end the process before it has cleaned up.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const forever = setInterval(() => undefined, 3_600_000);
  let started: T | undefined;
  try {
    started = await start();
    await use(started);
    await interrupted;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    clearInterval(forever);
    await started?.stop();
  }
}
