/** Computes how much a request can spend, for restrictions of runes on `outgo`. */
import { FulguriteError } from '../model/errors.ts';
import type { Registry } from '../rpc/command.ts';
import { maySpend } from '../rpc/forwarder.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import { parseParams } from '../rpc/params.ts';
import type { FieldValue, Unreadable } from '../runes/field-value.ts';

/** Computes how much a request can spend. */
export type OutgoOf = (method: string, params: JsonToken | undefined) => FieldValue | Unreadable;

/**
 * Makes the function for a registry. A command without `outgo` spends nothing.
 * @param isForwarded returns whether the attached node executes a method
 */
export function outgoOf<C>(
  registry: Registry<C>,
  context: C,
  isForwarded: (method: string) => boolean = () => false,
): OutgoOf {
  return (method, params) => {
    if (isForwarded(method) && maySpend(method)) return unknown('the attached node executes the command');
    const command = registry.commands.get(method);
    if (command?.outgo === undefined) return { kind: 'integer', integer: 0n };
    try {
      const parsed = parseParams(command, params, context, 'run', registry.isDeveloper);
      const msat = command.outgo(parsed, context);
      return msat === undefined
        ? unknown('how much the command can spend is only known once it runs')
        : { kind: 'integer', integer: msat };
    } catch (error) {
      if (error instanceof FulguriteError) return unknown(error.message);
      throw error;
    }
  };
}

const unknown = (why: string): Unreadable => ({
  kind: 'unreadable',
  complaint: `outgo is not known: ${why}`,
});
