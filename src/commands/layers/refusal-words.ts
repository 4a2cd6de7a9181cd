/** The error when a change of layers is refused. */
import type { LayerRefusal } from '../../layers/refusal.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { ClientError, Data } from '../client-error.ts';

/** The error with the reason of the refusal and the parameter that caused it. */
export function layerRefusalInWords(refusal: LayerRefusal): ClientError & { readonly data: Data } {
  switch (refusal.kind) {
    case 'automaticName':
      return refused('layer', 'Cannot create auto layer');
    case 'nameTaken':
      return refused('layer', 'Layer already exists');
    case 'removed':
      return refused('layer', 'Unknown layer', `layer: Unknown layer ${refusal.name}`);
    case 'unknownLayer': {
      const told = refused(
        'layers',
        'unknown layer',
        'layers: unknown layer: invalid token (see logs for details)',
      );
      return { ...told, data: { ...told.data, value: refusal.name } };
    }
    case 'sameEnds':
      return refused('destination', 'source and destination must be different');
    case 'channelExists':
      return refused('short_channel_id', 'channel already exists');
    case 'amountOverflow':
      return refused('amount_msat', 'Amount overflow with reserves');
    case 'notReserved': {
      const name = formatShortChannelIdDir(refusal.of);
      const where = refusal.layer === undefined ? '' : ` on layer ${refusal.layer}`;
      const reason = 'Unknown reservation';
      const told = refused('path', reason, `${reason} for ${name}${where}`);
      return { ...told, data: { ...told.data, short_channel_id_dir: name } };
    }
  }
}

const refused = (
  parameter: string,
  reason: string,
  message = reason,
): ClientError & { readonly data: Data } => ({
  error: 'invalidParams',
  message,
  data: { parameter, reason },
});
