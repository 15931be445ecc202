// Loaded before the program: it waits for an answer not 20 seconds, but a moment, so that a test of silent servers takes no hours.
for (const name of ['http', 'https']) {
  const library = require(name);
  const { request } = library;
  library.request = (options, ...rest) => request({ ...options, timeout: Number(process.env.PATIENCE_MS) }, ...rest);
}
