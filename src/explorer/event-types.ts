/**
 * The types of the node's events. The node creates the events in `src/commands/events/event-json.ts`; a test compares
 * the members named here with events of a real node. Times are UNIX seconds, amounts msat.
 */

/** An amount in msat, exact. */
export type Amount = number | bigint;

/** The members that identify a payment, and its request. */
export interface PaymentSummary {
  readonly id: string;
  readonly created_index: number;
  readonly command: string;
  readonly payment_hash: string;
  readonly destination: string;
  readonly amount_msat: Amount;
  readonly label?: string;
  readonly created_at: number;
}

/** A payment began, is waiting, or ended. */
export interface PaymentEventData {
  readonly type: 'payment';
  readonly time: number;
  readonly status: 'pending' | 'waiting' | 'complete' | 'failed';
  readonly payment: PaymentSummary;
  readonly resumed?: boolean;
  readonly height?: number;
  readonly completed_at?: number;
  readonly amount_msat?: Amount;
  readonly amount_sent_msat?: Amount;
  readonly attempts?: number;
  readonly parts?: number;
  readonly failure?: string;
  readonly simulated?: boolean;
}

/** One hop of an attempt. */
export interface AttemptHop {
  readonly short_channel_id_dir: string;
  readonly id: string;
  readonly amount_msat: Amount;
  readonly delay: number;
}

/** An attempt, as shown in events and in the data of errors. */
export interface AttemptFacts {
  readonly status: 'pending' | 'success' | 'failed';
  readonly failreason?: string;
  readonly partid: number;
  readonly amount_msat: Amount;
  readonly amount_sent_msat: Amount;
  readonly probability_ppm: number;
  readonly created_at: number;
  readonly completed_at?: number;
  readonly route: readonly AttemptHop[];
  readonly failure?: {
    readonly erring_index?: number;
    readonly failcode?: number;
    readonly failcodename?: string;
    readonly erring_node?: string;
    readonly erring_channel?: string;
    readonly erring_direction?: number;
    readonly raw_message?: string;
  };
  readonly learned?: readonly string[];
}

/** One HTLC of a payment was sent, was settled, or failed. */
export interface AttemptEventData {
  readonly type: 'attempt';
  readonly time: number;
  readonly payment: PaymentSummary;
  readonly id: number;
  readonly attempt: AttemptFacts;
  readonly simulated?: boolean;
}

/** What was learned at the end of an attempt. */
export interface LessonsEventData {
  readonly type: 'learned';
  readonly time: number;
  readonly payment: PaymentSummary;
  readonly partid: number;
  readonly learned: readonly string[];
  readonly simulated?: boolean;
}

/** A named layer was created, removed or changed. */
export interface LayerEventData {
  readonly type: 'layer';
  readonly time: number;
  readonly layer: string;
  readonly status: 'created' | 'changed' | 'removed';
  readonly persistent: boolean;
  readonly changes: number;
}

/** A fetch of an invoice began, or ended. */
export interface FetchEventData {
  readonly type: 'fetch';
  readonly time: number;
  readonly status: 'pending' | 'complete' | 'failed';
  readonly fetch: {
    readonly number: number;
    readonly offer_id: string;
    readonly amount_msat?: Amount;
    readonly timeout: number;
  };
  readonly took_ms?: number;
  readonly steps?: readonly Readonly<Record<string, unknown>>[];
  readonly amount_msat?: Amount;
  readonly failure?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly simulated?: boolean;
}

/** An invoice of our own node was paid, or has expired. */
export interface InvoiceEventData {
  readonly type: 'invoice';
  readonly time: number;
  readonly status: 'paid' | 'expired';
  readonly invoice: {
    readonly label: string;
    readonly created_index: number;
    readonly payment_hash: string;
    readonly amount_msat?: Amount;
    readonly expires_at: number;
  };
  readonly amount_received_msat?: Amount;
  readonly paid_at?: number;
  readonly pay_index?: number;
  readonly simulated?: boolean;
}

/** Figures of the whole node, once a second. */
export interface StatsEventData {
  readonly type: 'stats';
  readonly time: number;
  readonly payments_in_flight: number;
  readonly payments_complete: number;
  readonly payments_failed: number;
  readonly htlcs_in_flight: number;
  readonly htlcs_in_flight_msat: Amount;
  readonly attempts_settled: number;
  readonly attempts_failed: number;
  readonly fetches_in_flight: number;
  readonly searches_answered: number;
  readonly searches_queued: number;
  readonly searches_running: number;
  readonly workers: number;
  readonly workers_replaced: number;
  /**
   * Percentiles of the durations of searches and commits in the last ten seconds, in milliseconds. Absent if there were
   * none.
   */
  readonly search_ms_p50?: number;
  readonly search_ms_p99?: number;
  readonly commits: number;
  readonly commit_ms_p50?: number;
  readonly commit_ms_p99?: number;
  readonly blockheight: number;
  readonly resident_bytes: number;
  readonly simulated?: boolean;
}

/** The contents of events by their names. */
export interface EventBodies {
  readonly payment: PaymentEventData;
  readonly attempt: AttemptEventData;
  readonly learned: LessonsEventData;
  readonly layer: LayerEventData;
  readonly fetch: FetchEventData;
  readonly invoice: InvoiceEventData;
  readonly stats: StatsEventData;
  /** Some events were lost: reload all lists. */
  readonly reset: Readonly<Record<string, never>>;
}

/** The name of an event. */
export type EventName = keyof EventBodies;
