/** Opens the invoices of our own node, and records those that were paid while the process was down. */
import type { NodeContext } from '../../commands/context.ts';
import { OwnInvoices, type OwnInvoicesOptions } from '../../invoices/index.ts';
import { realClock } from '../../model/clock.ts';
import type { RecordRepository } from '../../store/record-repository.ts';
import type { OpenedNetwork } from './open-network.ts';

/** The parts that commands use. */
export interface OpenedInvoices extends Pick<NodeContext, 'invoices' | 'simulatedPayer'> {
  close(): void;
}

/** Opens the invoices if the network has a receiver. */
export async function openInvoices(
  { receiver, simulatedReceiver }: Pick<OpenedNetwork, 'receiver' | 'simulatedReceiver'>,
  repository: RecordRepository,
  onEvent: OwnInvoicesOptions['onEvent'],
): Promise<OpenedInvoices> {
  if (receiver === undefined) return { close: () => undefined };
  const invoices = await OwnInvoices.open({
    receiver,
    repository,
    clock: realClock,
    ...(onEvent && { onEvent }),
  });
  await simulatedReceiver?.recover(invoices.arriving());
  return {
    invoices,
    ...(simulatedReceiver !== undefined && {
      async simulatedPayer(from, invoice) {
        await invoices.noteArriving(invoice, invoice.amountMsat);
        return simulatedReceiver.pay(from, invoice);
      },
    }),
    close: () => invoices.close(),
  };
}
