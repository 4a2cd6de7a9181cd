/** How the caller of a payment limits its fees. */
import type { FeeShare } from '../../engine/question/remedy-rules.ts';

/** The parameter with which a caller limits the fees. */
export interface FeeTerms {
  /**
   * The parameter that raises the limit: `maxfee`, or `exemptfee` together with `maxfeepercent`. `maxfee` cannot be
   * combined with the other two.
   */
  readonly parameter: 'maxfee' | 'exemptfee';
  /** The share of the amount that determines the limit. Absent if the limit is a fixed amount. */
  readonly share?: FeeShare;
}
