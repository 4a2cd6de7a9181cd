/** Explanations of BOLT 4 failure codes for payers, by their names in Core Lightning. */

const SENTENCES: Readonly<Record<string, string>> = {
  WIRE_TEMPORARY_CHANNEL_FAILURE: 'The channel did not have enough money on this side at that moment.',
  WIRE_PERMANENT_CHANNEL_FAILURE: 'The channel is closed or can never be used again.',
  WIRE_UNKNOWN_NEXT_PEER: 'The node does not know the next node, or is not connected to it.',
  WIRE_TEMPORARY_NODE_FAILURE: 'The node could not forward at that moment.',
  WIRE_PERMANENT_NODE_FAILURE: 'The node no longer forwards payments.',
  WIRE_FEE_INSUFFICIENT: 'The node requires a higher fee than it last announced.',
  WIRE_INCORRECT_CLTV_EXPIRY: 'The node requires more blocks than it last announced.',
  WIRE_EXPIRY_TOO_SOON: 'Too few blocks were left when the payment reached this node.',
  WIRE_EXPIRY_TOO_FAR: 'The money would have been locked for too long.',
  WIRE_AMOUNT_BELOW_MINIMUM: 'The part is smaller than the channel accepts.',
  WIRE_CHANNEL_DISABLED: 'The node has disabled the channel.',
  WIRE_REQUIRED_CHANNEL_FEATURE_MISSING: 'The channel lacks a feature that the payment needs.',
  WIRE_REQUIRED_NODE_FEATURE_MISSING: 'The node lacks a feature that the payment needs.',
  WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS:
    'The recipient does not know this payment, or expects a different amount.',
  WIRE_FINAL_INCORRECT_CLTV_EXPIRY:
    'The recipient received a different number of blocks than the sender specified.',
  WIRE_FINAL_INCORRECT_HTLC_AMOUNT: 'The recipient received a different amount than the sender specified.',
  WIRE_MPP_TIMEOUT: 'The other parts did not arrive in time, so the recipient returned this one.',
  WIRE_INVALID_ONION_PAYLOAD: 'The recipient does not accept payments of this kind.',
  WIRE_INVALID_ONION_BLINDING: 'It failed inside the blinded part of the route; the exact place is hidden.',
  WIRE_INVALID_ONION_VERSION: 'The node could not read its instructions.',
  WIRE_INVALID_ONION_HMAC: 'The node could not read its instructions.',
  WIRE_INVALID_ONION_KEY: 'The node could not read its instructions.',
  WIRE_INVALID_REALM: 'The node could not read its instructions.',
};

/** One sentence for a failure code. Undefined for a code that BOLT 4 does not define. */
export const failureSentence = (codeName: string | undefined): string | undefined =>
  codeName === undefined ? undefined : SENTENCES[codeName];

/** Why a payment failed, by the word that events use for the reason. */
const OBSTACLES: Readonly<Record<string, string>> = {
  recipient_refused: 'The recipient refused it.',
  no_route: 'No route was found.',
  out_of_time: 'The time limit was reached.',
  out_of_attempts: 'The maximum number of attempts was made.',
  invoice_expired: 'The invoice expired.',
  not_released: 'The recipient did not come online and release the payment in time.',
  interrupted: 'The service was stopped.',
  own_node_refused: 'This node refused to send it.',
  given_route_failed: 'The given route failed.',
};

/**
 * A sentence for the reason that an event gives for the failure of a payment. An unknown word is returned unchanged.
 */
export const obstacleSentence = (word: string | undefined): string | undefined =>
  word === undefined ? undefined : (OBSTACLES[word] ?? word);
