// Loaded before the program: its wall clock jumps by up to ten years, to and fro, as after a suspended machine or a wrong time server.
const RealDate = Date;
const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;
let state = Number(process.env.CLOCK_SEED);
let offset = 0;

setInterval(() => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  offset = (state / 2 ** 31 - 1) * TEN_YEARS_MS;
}, 5).unref();

globalThis.Date = class extends RealDate {
  static now() {
    return RealDate.now() + offset;
  }

  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given));
  }
};
