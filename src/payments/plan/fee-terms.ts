/** How the caller of a payment limits its fees. */
import type { FeeShare } from '../../engine/question/remedy-rules.ts';

/** The parameter by which a caller limits the fees. */
export interface FeeTerms {
  /**
   * The parameter that raises the limit: `maxfee`, or `exemptfee` together with `maxfeepercent`. The two ways exclude
   * each other.
   */
  readonly parameter: 'maxfee' | 'exemptfee';
  /** The share of the amount that determines the limit. Absent if the limit is a fixed amount. */
  readonly share?: FeeShare;
}
