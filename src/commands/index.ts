/**
 * All commands of the node. To add a command, create a file in the folder of its category, and add it to the list
 * below.
 */

import type { NodeCommand } from './context.ts';
import { described } from './described.ts';
import { askreneAge } from './layers/askrene-age.ts';
import { askreneBiasChannel } from './layers/askrene-bias-channel.ts';
import { askreneBiasNode } from './layers/askrene-bias-node.ts';
import { askreneCreateChannel } from './layers/askrene-create-channel.ts';
import { askreneCreateLayer } from './layers/askrene-create-layer.ts';
import { askreneDifflayers } from './layers/askrene-difflayers.ts';
import { askreneDisableNode } from './layers/askrene-disable-node.ts';
import { askreneInformChannel } from './layers/askrene-inform-channel.ts';
import { askreneListlayers } from './layers/askrene-listlayers.ts';
import { askreneRemoveChannelUpdate } from './layers/askrene-remove-channel-update.ts';
import { askreneRemoveLayer } from './layers/askrene-remove-layer.ts';
import { askreneUpdateChannel } from './layers/askrene-update-channel.ts';
import { exportmissioncontrol } from './layers/exportmissioncontrol.ts';
import { importbeliefs } from './layers/importbeliefs.ts';
import { importmissioncontrol } from './layers/importmissioncontrol.ts';
import { importnodehistory } from './layers/importnodehistory.ts';
import { listbeliefs } from './layers/listbeliefs.ts';
import { listlayers } from './layers/listlayers.ts';
import { connect } from './network/connect.ts';
import { disconnect } from './network/disconnect.ts';
import { getinfo } from './network/getinfo.ts';
import { listchannels } from './network/listchannels.ts';
import { listforwards } from './network/listforwards.ts';
import { listnodes } from './network/listnodes.ts';
import { listournodes } from './network/listournodes.ts';
import { listpeerchannels } from './network/listpeerchannels.ts';
import { listpeers } from './network/listpeers.ts';
import { setournode } from './network/setournode.ts';
import { markedWhenSimulated } from './network/simulated.ts';
import { cancelrecurringinvoice } from './offers/cancelrecurringinvoice.ts';
import { delinvoice } from './offers/delinvoice.ts';
import { disableinvoicerequest } from './offers/disableinvoicerequest.ts';
import { disableoffer } from './offers/disableoffer.ts';
import { fetchbip353 } from './offers/fetchbip353.ts';
import { fetchinvoice } from './offers/fetchinvoice.ts';
import { invoice } from './offers/invoice.ts';
import { invoicerequest } from './offers/invoicerequest.ts';
import { listfetches } from './offers/listfetches.ts';
import { listinvoicerequests } from './offers/listinvoicerequests.ts';
import { listinvoices } from './offers/listinvoices.ts';
import { listoffers } from './offers/listoffers.ts';
import { listsimulatedoffers } from './offers/listsimulatedoffers.ts';
import { offer } from './offers/offer.ts';
import { waitanyinvoice } from './offers/waitanyinvoice.ts';
import { waitinvoice } from './offers/waitinvoice.ts';
import { checkproof } from './payments/books/checkproof.ts';
import { createproof } from './payments/books/createproof.ts';
import { delpay } from './payments/books/delpay.ts';
import { getpayment } from './payments/books/getpayment.ts';
import { ledger } from './payments/books/ledger.ts';
import { listfunds } from './payments/books/listfunds.ts';
import { listpayments } from './payments/books/listpayments.ts';
import { listpays } from './payments/books/listpays.ts';
import { listsendpays } from './payments/books/listsendpays.ts';
import { paystatus } from './payments/books/paystatus.ts';
import { reconcile } from './payments/books/reconcile.ts';
import { createonion } from './payments/caller-routes/createonion.ts';
import { getroute } from './payments/caller-routes/getroute.ts';
import { sendonion } from './payments/caller-routes/sendonion.ts';
import { sendpay } from './payments/caller-routes/sendpay.ts';
import { keysend } from './payments/keysend.ts';
import { exportlearned } from './payments/learning/exportlearned.ts';
import { importlearned } from './payments/learning/importlearned.ts';
import { listlearned } from './payments/learning/listlearned.ts';
import { listodds } from './payments/learning/listodds.ts';
import { listprobes } from './payments/learning/listprobes.ts';
import { planrebalance } from './payments/own-money/planrebalance.ts';
import { plantransfer } from './payments/own-money/plantransfer.ts';
import { rebalance } from './payments/own-money/rebalance.ts';
import { transfer } from './payments/own-money/transfer.ts';
import { pay } from './payments/pay.ts';
import { plankeysend } from './payments/plankeysend.ts';
import { planxpay } from './payments/planxpay.ts';
import { delquote } from './payments/quotes/delquote.ts';
import { listquotes } from './payments/quotes/listquotes.ts';
import { quote } from './payments/quotes/quote.ts';
import { simulatedinvoice } from './payments/simulatedinvoice.ts';
import { simulatepayer } from './payments/simulatepayer.ts';
import { waitsendpay } from './payments/waitsendpay.ts';
import { xkeysend } from './payments/xkeysend.ts';
import { xpay } from './payments/xpay.ts';
import { askreneListreservations } from './routes/askrene-listreservations.ts';
import { askreneReserve } from './routes/askrene-reserve.ts';
import { askreneScore } from './routes/askrene-score.ts';
import { askreneUnreserve } from './routes/askrene-unreserve.ts';
import { getroutes } from './routes/getroutes.ts';
import { getroutesBatch } from './routes/getroutes-batch.ts';
import { blacklistrune, destroyrune } from './runes/blacklistrune.ts';
import { checkrune } from './runes/checkrune.ts';
import { createrune, invokerune } from './runes/createrune.ts';
import { showrunes } from './runes/showrunes.ts';
import { addwebhook } from './utility/addwebhook.ts';
import { backup } from './utility/backup.ts';
import { check } from './utility/check.ts';
import { batching, deprecations, notifications } from './utility/connection-flags.ts';
import { decode } from './utility/decode.ts';
import { decodepay } from './utility/decodepay.ts';
import { delwebhook } from './utility/delwebhook.ts';
import { explorer } from './utility/explorer.ts';
import { getlog } from './utility/getlog.ts';
import { getmetrics } from './utility/getmetrics.ts';
import { help } from './utility/help.ts';
import { listconfigs } from './utility/listconfigs.ts';
import { listwebhooks } from './utility/listwebhooks.ts';
import { rpcDiscover } from './utility/rpc-discover.ts';
import { setconfig } from './utility/setconfig.ts';
import { stop } from './utility/stop.ts';

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
  askreneScore,
  askreneUnreserve,
  askreneUpdateChannel,
  backup,
  addwebhook,
  listwebhooks,
  delwebhook,
  batching,
  blacklistrune,
  cancelrecurringinvoice,
  check,
  checkproof,
  checkrune,
  connect,
  createproof,
  createrune,
  decode,
  decodepay,
  delpay,
  deprecations,
  destroyrune,
  disableinvoicerequest,
  disableoffer,
  disconnect,
  explorer,
  fetchbip353,
  fetchinvoice,
  getinfo,
  getlog,
  getmetrics,
  getpayment,
  getroute,
  getroutes,
  getroutesBatch,
  help,
  invoicerequest,
  invokerune,
  keysend,
  listbeliefs,
  importbeliefs,
  importmissioncontrol,
  importnodehistory,
  exportmissioncontrol,
  listchannels,
  listconfigs,
  listfetches,
  ledger,
  listfunds,
  listinvoices,
  listlayers,
  listnodes,
  listlearned,
  listodds,
  listprobes,
  listinvoicerequests,
  listoffers,
  listournodes,
  listpayments,
  listpays,
  listpeerchannels,
  listpeers,
  listsendpays,
  listsimulatedoffers,
  invoice,
  waitinvoice,
  waitanyinvoice,
  delinvoice,
  simulatepayer,
  notifications,
  offer,
  pay,
  paystatus,
  plankeysend,
  plantransfer,
  exportlearned,
  importlearned,
  planrebalance,
  rebalance,
  quote,
  listquotes,
  delquote,
  planxpay,
  rpcDiscover,
  setconfig,
  setournode,
  showrunes,
  reconcile,
  simulatedinvoice,
  stop,
  transfer,
  createonion,
  sendonion,
  sendpay,
  listforwards,
  waitsendpay,
  xkeysend,
  xpay,
];

/** All commands, ready for the registry. On the simulated network, their results are marked as simulated. */
export const COMMANDS: readonly NodeCommand[] = ALL.map(markedWhenSimulated).map(described);
