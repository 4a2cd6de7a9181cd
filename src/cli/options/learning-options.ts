/** Options of `start` for deliberate learning: probes, and trials of different prices of routes. */
import { DEFAULT_OBJECTIVE, type ObjectiveKnobs } from '../../engine/question/objective.ts';
import { DEFAULT_PROBES_MSAT, MAX_PROBES_PER_HOUR, type ProbeLimits } from '../../payments/probes/prober.ts';
import { UsageError } from '../client/client-arguments.ts';
import { whole } from './option-values.ts';

/** The highest valid `--probe-max-sat`, in sat: 10 bitcoin. */
const MAX_PROBE_SAT = 1_000_000_000;

/** The prices that can be tried, by the name in the option. */
const TRIED: Readonly<Record<string, keyof ObjectiveKnobs>> = {
  'risk-ppm-per-nat': 'riskPpmPerNat',
  'risk-base-msat-per-nat': 'riskBaseMsatPerNat',
  'delay-billionths-per-block': 'delayBillionthsPerBlock',
  'part-ppm': 'partPpm',
  'part-base-msat': 'partBaseMsat',
};

/** The prices on trial. Undefined if the option was not given. @throws UsageError */
export function trialOf(given: readonly string[] | undefined): ObjectiveKnobs | undefined {
  if (given === undefined) return undefined;
  const knobs: { -readonly [K in keyof ObjectiveKnobs]: ObjectiveKnobs[K] } = { ...DEFAULT_OBJECTIVE };
  for (const text of given) {
    const [name = '', value, ...rest] = text.split('=');
    const knob = Object.hasOwn(TRIED, name) ? TRIED[name] : undefined;
    const number = whole('trial', value, 0, 1_000_000_000);
    if (knob === undefined || number === undefined || rest.length > 0)
      throw new UsageError(
        `--trial must be NAME=VALUE, where NAME is one of ${Object.keys(TRIED).join(', ')}, not ${text}`,
      );
    knobs[knob] = number;
  }
  return knobs;
}

interface ProbeValues {
  readonly 'probes-per-hour'?: string | undefined;
  readonly 'probe-max-sat'?: string | undefined;
  readonly 'no-learned-odds'?: boolean | undefined;
}

/** The limits on probing. Undefined when probing is off. @throws UsageError */
export function probesOf(values: ProbeValues): ProbeLimits | undefined {
  const perHour = whole('probes-per-hour', values['probes-per-hour'], 0, MAX_PROBES_PER_HOUR) ?? 0;
  const maxSat = whole('probe-max-sat', values['probe-max-sat'], 1_000, MAX_PROBE_SAT);
  if (perHour === 0) {
    if (maxSat !== undefined) throw new UsageError('--probe-max-sat requires --probes-per-hour');
    return undefined;
  }
  if (values['no-learned-odds'] === true)
    throw new UsageError(
      'give --probes-per-hour or --no-learned-odds, not both: the learned odds choose the probes',
    );
  return { perHour, maxInFlightMsat: maxSat === undefined ? DEFAULT_PROBES_MSAT : 1000n * BigInt(maxSat) };
}
