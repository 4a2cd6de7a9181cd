/** Opens the webhook outbox and lets it follow payments. */
import { standingEvent, webhookEvent } from '../../commands/utility/webhook-json.ts';
import type { EventStream, NodeEvent } from '../../events/index.ts';
import { realClock } from '../../model/clock.ts';
import type { PaymentEngine } from '../../payments/payment-engine.ts';
import type { Log } from '../../rpc/log.ts';
import { type NamedHosts, Outbox } from '../../webhooks/index.ts';
import type { NodeStore } from './open-store.ts';

/** What webhooks need from the daemon. */
export interface WebhookDependencies {
  readonly store: Pick<NodeStore, 'records' | 'shared'>;
  readonly hosts: NamedHosts;
  readonly payments: Pick<PaymentEngine, 'journal'>;
  readonly events: EventStream;
  readonly log: Log;
  /** Id of the data directory. */
  readonly daemon: string;
  readonly isSimulated: boolean;
}

/** Opens the outbox. Events that occur while the outbox reads its stored state are processed afterwards. */
export async function openWebhooks(dependencies: WebhookDependencies): Promise<Outbox> {
  const { store, hosts, payments, events, log, daemon, isSimulated } = dependencies;
  const early: NodeEvent[] = [];
  let outbox: Outbox | undefined;
  const note = (event: NodeEvent): void => {
    if (outbox === undefined || outbox.isEmpty) return;
    const told = webhookEvent(event.atMs, event, isSimulated);
    if (told === undefined) return;
    try {
      outbox.note(told);
    } catch (error) {
      log.unusual(`event ${told.paymentId}.${told.event} was not queued for webhooks: ${error}`);
    }
  };
  events.listen((event) => {
    if (outbox === undefined) early.push(event);
    else note(event);
  });
  outbox = await Outbox.open(
    {
      repository: store.records,
      ...{ hosts, clock: realClock, daemon, log },
      async standing(createdIndex) {
        const payment = await payments.journal.paymentAt(createdIndex);
        return payment && standingEvent(payment, isSimulated);
      },
    },
    store.shared !== undefined,
  );
  for (const event of early) note(event);
  return outbox;
}
