import { createHash } from 'crypto';

/** Numbers that look random, and are the same for the same seed. */
export class Random {
  private count = 0;

  public constructor(private readonly seed: number) {}

  /** From 0 to below 1. */
  public next(): number {
    return createHash('sha256').update(`${this.seed} ${++this.count}`).digest().readUInt32BE() / 2 ** 32;
  }

  /** A whole number from 0 to below a limit. */
  public below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  public chance(probability: number): boolean {
    return this.next() < probability;
  }

  public pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }

  /** So many different ones. */
  public several<T>(from: readonly T[], count: number): T[] {
    const rest = [...from];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(this.below(rest.length), 1)[0]);
  }

  /** One of its own, for what is asked for at times that no seed tells. */
  public fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}
