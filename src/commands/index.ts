/**
 * All commands of the node. A new command is a file of its own and a line here.
 */
import { askreneAge } from './askrene-age.ts';
import { askreneBiasChannel } from './askrene-bias-channel.ts';
import { askreneBiasNode } from './askrene-bias-node.ts';
import { askreneCreateChannel } from './askrene-create-channel.ts';
import { askreneCreateLayer } from './askrene-create-layer.ts';
import { askreneDifflayers } from './askrene-difflayers.ts';
import { askreneDisableNode } from './askrene-disable-node.ts';
import { askreneInformChannel } from './askrene-inform-channel.ts';
import { askreneListlayers } from './askrene-listlayers.ts';
import { askreneListreservations } from './askrene-listreservations.ts';
import { askreneRemoveChannelUpdate } from './askrene-remove-channel-update.ts';
import { askreneRemoveLayer } from './askrene-remove-layer.ts';
import { askreneReserve } from './askrene-reserve.ts';
import { askreneUnreserve } from './askrene-unreserve.ts';
import { askreneUpdateChannel } from './askrene-update-channel.ts';
import { backup } from './backup.ts';
import { cancelrecurringinvoice } from './cancelrecurringinvoice.ts';
import { check } from './check.ts';
import { connect } from './connect.ts';
import { batching, deprecations, notifications } from './connection-flags.ts';
import type { NodeCommand } from './context.ts';
import { decode } from './decode.ts';
import { delpay } from './delpay.ts';
import { disableinvoicerequest } from './disableinvoicerequest.ts';
import { disableoffer } from './disableoffer.ts';
import { disconnect } from './disconnect.ts';
import { fetchinvoice } from './fetchinvoice.ts';
import { getinfo } from './getinfo.ts';
import { getroutes } from './getroutes.ts';
import { help } from './help.ts';
import { invoicerequest } from './invoicerequest.ts';
import { keysend } from './keysend.ts';
import { listchannels } from './listchannels.ts';
import { listconfigs } from './listconfigs.ts';
import { listfunds } from './listfunds.ts';
import { listinvoicerequests } from './listinvoicerequests.ts';
import { listinvoices } from './listinvoices.ts';
import { listnodes } from './listnodes.ts';
import { listoffers } from './listoffers.ts';
import { listpays } from './listpays.ts';
import { listpeerchannels } from './listpeerchannels.ts';
import { listpeers } from './listpeers.ts';
import { listsendpays } from './listsendpays.ts';
import { listsimulatedoffers } from './listsimulatedoffers.ts';
import { offer } from './offer.ts';
import { paystatus } from './paystatus.ts';
import { plankeysend } from './plankeysend.ts';
import { rpcDiscover } from './rpc-discover.ts';
import { setconfig } from './setconfig.ts';
import { markedWhenSimulated } from './simulated.ts';
import { stop } from './stop.ts';
import { waitsendpay } from './waitsendpay.ts';
import { xkeysend } from './xkeysend.ts';

const ALL: readonly NodeCommand[] = [
  askreneAge,
  askreneBiasChannel,
  askreneBiasNode,
  askreneCreateChannel,
  askreneCreateLayer,
  askreneDifflayers,
  askreneDisableNode,
  askreneInformChannel,
  askreneListlayers,
  askreneListreservations,
  askreneRemoveChannelUpdate,
  askreneRemoveLayer,
  askreneReserve,
  askreneUnreserve,
  askreneUpdateChannel,
  backup,
  batching,
  cancelrecurringinvoice,
  check,
  connect,
  decode,
  delpay,
  deprecations,
  disableinvoicerequest,
  disableoffer,
  disconnect,
  fetchinvoice,
  getinfo,
  getroutes,
  help,
  invoicerequest,
  keysend,
  listchannels,
  listconfigs,
  listfunds,
  listinvoices,
  listnodes,
  listinvoicerequests,
  listoffers,
  listpays,
  listpeerchannels,
  listpeers,
  listsendpays,
  listsimulatedoffers,
  notifications,
  offer,
  paystatus,
  plankeysend,
  rpcDiscover,
  setconfig,
  stop,
  waitsendpay,
  xkeysend,
];

export const COMMANDS: readonly NodeCommand[] = ALL.map(markedWhenSimulated);
