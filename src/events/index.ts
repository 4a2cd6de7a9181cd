/** The entry point of the events. */
export type {
  AttemptChanged,
  EventBody,
  FetchChanged,
  Figures,
  InvoiceChanged,
  LayerChanged,
  LessonsLearned,
  NodeEvent,
  OwnInvoiceFacts,
  PaymentBegan,
  PaymentEnded,
  PaymentFacts,
  PaymentResult,
  PaymentWaits,
  StatsTaken,
} from './event.ts';
export { KEPT_EVENTS } from './event-ring.ts';
export { type EventListener, EventStream, type Following } from './event-stream.ts';
export { RECENT_MS, RecentTimes } from './recent-times.ts';
export {
  fetchEvents,
  invoiceEvents,
  LayerEvents,
  type Publish,
  paymentEvents,
  paymentStanding,
} from './sources.ts';
export { Tally } from './tally.ts';
