// Loaded before the program: its wall clock jumps, by two to ten years to and fro, as after a suspended machine or a wrong time server.
const RealDate = Date;
const YEAR_MS = 365 * 24 * 3600 * 1000;
let state = Number(process.env.CLOCK_SEED);
let offset = 0;

function jump() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  const far = state / 2 ** 31 - 1;
  offset = (Math.sign(far || 1) * 2 + far * 8) * YEAR_MS;
}

jump();
setInterval(jump, 5).unref();

globalThis.Date = class extends RealDate {
  static now() {
    return RealDate.now() + offset;
  }

  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given));
  }
};
