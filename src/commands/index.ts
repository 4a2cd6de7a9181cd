/**
 * All commands of the node. A new command is a file of its own and a line here.
 */
import { askreneAge } from './askrene-age.ts';
import { askreneBiasChannel } from './askrene-bias-channel.ts';
import { askreneBiasNode } from './askrene-bias-node.ts';
import { askreneCreateChannel } from './askrene-create-channel.ts';
import { askreneCreateLayer } from './askrene-create-layer.ts';
import { askreneDisableNode } from './askrene-disable-node.ts';
import { askreneInformChannel } from './askrene-inform-channel.ts';
import { askreneListlayers } from './askrene-listlayers.ts';
import { askreneListreservations } from './askrene-listreservations.ts';
import { askreneRemoveChannelUpdate } from './askrene-remove-channel-update.ts';
import { askreneRemoveLayer } from './askrene-remove-layer.ts';
import { askreneReserve } from './askrene-reserve.ts';
import { askreneUnreserve } from './askrene-unreserve.ts';
import { askreneUpdateChannel } from './askrene-update-channel.ts';
import { check } from './check.ts';
import { batching, deprecations, notifications } from './connection-flags.ts';
import type { NodeCommand } from './context.ts';
import { getinfo } from './getinfo.ts';
import { getroutes } from './getroutes.ts';
import { help } from './help.ts';
import { listchannels } from './listchannels.ts';
import { listnodes } from './listnodes.ts';
import { rpcDiscover } from './rpc-discover.ts';
import { stop } from './stop.ts';

export const COMMANDS: readonly NodeCommand[] = [
  askreneAge,
  askreneBiasChannel,
  askreneBiasNode,
  askreneCreateChannel,
  askreneCreateLayer,
  askreneDisableNode,
  askreneInformChannel,
  askreneListlayers,
  askreneListreservations,
  askreneRemoveChannelUpdate,
  askreneRemoveLayer,
  askreneReserve,
  askreneUnreserve,
  askreneUpdateChannel,
  batching,
  check,
  deprecations,
  getinfo,
  getroutes,
  help,
  listchannels,
  listnodes,
  notifications,
  rpcDiscover,
  stop,
];
