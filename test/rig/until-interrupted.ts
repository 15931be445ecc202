/** Does something, waits for Ctrl-C or a failure, and cleans up in any case. */
export async function untilInterrupted(clean: () => Promise<void>, start: () => Promise<void>) {
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const forever = setInterval(() => undefined, 3_600_000);
  try {
    await start();
    await interrupted;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    clearInterval(forever);
    await clean();
  }
}
