import { Duration } from 'cdk8s';
import { Json } from '../../private/merge';

/** The shortest and longest delay between two downloads or uploads. OPA takes both or neither, so the other one is filled in. */
export function delays(name: string, [min, max]: (Duration | undefined)[], [defaultMin, defaultMax]: [number, number]): Json | undefined {
  if (!min && !max) return undefined;
  const least = min?.toSeconds() ?? Math.min(defaultMin, max!.toSeconds());
  const most = max?.toSeconds() ?? Math.max(defaultMax, least);
  if (least > most) throw new Error(`${name}Min must not be above ${name}Max, given ${least} and ${most} seconds`);
  return { min_delay_seconds: least, max_delay_seconds: most };
}
