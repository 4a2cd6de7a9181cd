/**
 * The commands of a node: made by `npm run client` from what `rpc.discover` answers, and not by hand.
 *
 * Amounts and other integers of 64 bits are bigint where a JavaScript number cannot hold them. Parameters take
 * what the node reads: an amount also as text, such as `10sat`.
 */

/** By the name of a command, what it takes and what it answers. */
export interface Methods {
  /** Remove old constraints, impressions and biases from a layer. */
  'askrene-age': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** UNIX time in seconds. Entries of exactly this time stay. */
      cutoff: number | bigint | string;
    };
    result: {
      /** Name of the layer. */
      readonly layer: string;
      /** How many entries were removed. */
      readonly num_removed: number | bigint;
    };
  };
  /** Make routes prefer or avoid a channel direction. */
  'askrene-bias-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** From -100 to 100. */
      bias: number | string;
      /** A note of at most 4096 bytes, which lists show. Every call replaces it. */
      description?: string;
      /** Whether the value is added to the present bias. Otherwise it replaces it. */
      relative?: boolean;
    };
    result: {
      /** The entry. Empty when the bias is now 0. */
      readonly biases: readonly {
        readonly layer: string;
        readonly short_channel_id_dir: string;
        readonly bias: number | bigint;
        readonly description?: string;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Make routes prefer or avoid the channels into or out of a node. */
  'askrene-bias-node': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The node. It need not be known. */
      node: string;
      /** `in` or `out`. The other one keeps its value. */
      direction: 'in' | 'out';
      /** From -100 to 100. */
      bias: number | string;
      /** A note of at most 4096 bytes, which lists show. Every call replaces it. */
      description?: string;
      /** Whether the value is added to the present bias. Otherwise it replaces it. */
      relative?: boolean;
    };
    result: {
      /** The entry. Empty when both values are now 0. */
      readonly node_biases: readonly {
        readonly layer: string;
        readonly node: string;
        readonly in_bias: number | bigint;
        readonly out_bias: number | bigint;
        readonly description?: string;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Add a channel to a layer. */
  'askrene-create-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** One end. */
      source: string;
      /** The other end. The order of the two does not matter. */
      destination: string;
      /** Id of the channel. The layer must not have it yet. */
      short_channel_id: string;
      /** Capacity of the channel. */
      capacity_msat: number | bigint | string;
    };
    result: object | string;
  };
  /** Create a layer: a named set of changes to what route requests see. */
  'askrene-create-layer': {
    params: {
      /** Name of the layer. Any text of at most 4096 bytes. */
      layer: string;
      /** Whether the layer is kept on disk. Not by default. */
      persistent?: boolean;
    };
    result: {
      /** The layer, as `askrene-listlayers` shows it. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: readonly string[];
        readonly disabled_channels?: readonly string[];
        readonly created_channels: readonly {
          readonly source: string;
          readonly destination: string;
          readonly short_channel_id: string;
          readonly capacity_msat: number | bigint;
        }[];
        readonly channel_updates: readonly {
          readonly short_channel_id_dir: string;
          readonly enabled?: boolean;
          readonly htlc_minimum_msat?: number | bigint;
          readonly htlc_maximum_msat?: number | bigint;
          readonly fee_base_msat?: number | bigint;
          readonly fee_proportional_millionths?: number;
          readonly cltv_expiry_delta?: number;
        }[];
        readonly constraints: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp?: number | bigint;
          readonly maximum_msat?: number | bigint;
          readonly minimum_msat?: number | bigint;
        }[];
        readonly impressions?: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp: number | bigint;
          readonly amount_msat: number | bigint;
        }[];
        readonly biases: readonly {
          readonly short_channel_id_dir: string;
          readonly bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
        readonly node_biases: readonly {
          readonly node: string;
          readonly in_bias: number | bigint;
          readonly out_bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
      }[];
    };
  };
  /** Show what layers change in a route request. */
  'askrene-difflayers': {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Node that receives. */
      destination: string;
      /** Amount that the destination receives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Most fees of all routes together. */
      maxfee_msat: number | bigint | string;
      /** Blocks that the destination itself asks for. */
      final_cltv: number | string;
      /** Layer to add at the end. */
      with?: string;
      /** Layer to leave out. */
      without?: string;
      /** The list of layers to compare with. */
      compare_layers?: readonly string[];
      /** Most blocks that money may be locked for on any route, final_cltv included. At most 2016. */
      maxdelay?: number | string;
      /** Most routes the amount may be split into. */
      maxparts?: number | string;
    };
    result: {
      /** layers, then probability_ppm, fee_msat, routes. Without a route: error {code, message, data}. */
      readonly before: {
        readonly layers: readonly string[];
        readonly probability_ppm?: number;
        readonly fee_msat?: number | bigint;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      };
      /** The same under the other list. */
      readonly after: {
        readonly layers: readonly string[];
        readonly probability_ppm?: number;
        readonly fee_msat?: number | bigint;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      };
      /** Whether the two answers differ. */
      readonly changed: boolean;
      /** Entries of the differing layers that either answer touches: layer, kind, and the entry. */
      readonly entries: readonly {
        readonly layer: string;
        readonly kind: string;
        readonly node?: string;
        readonly command_id?: string;
        readonly short_channel_id_dir?: string;
        readonly short_channel_id?: string;
        readonly source?: string;
        readonly destination?: string;
        readonly capacity_msat?: number | bigint;
        readonly amount_msat?: number | bigint;
        readonly timestamp?: number | bigint;
        readonly maximum_msat?: number | bigint;
        readonly minimum_msat?: number | bigint;
        readonly bias?: number | bigint;
        readonly in_bias?: number | bigint;
        readonly out_bias?: number | bigint;
        readonly description?: string;
        readonly enabled?: boolean;
        readonly htlc_minimum_msat?: number | bigint;
        readonly htlc_maximum_msat?: number | bigint;
        readonly fee_base_msat?: number | bigint;
        readonly fee_proportional_millionths?: number;
        readonly cltv_expiry_delta?: number;
      }[];
      /** How many such entries there are. At most 1000 are shown. */
      readonly num_entries: number | bigint;
    };
  };
  /** Disable a node in a layer. */
  'askrene-disable-node': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The node. It need not be known. */
      node: string;
    };
    result: object | string;
  };
  /** Tell a layer what a channel direction could or could not pass. */
  'askrene-inform-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** The amount that crossed the channel, or should have. */
      amount_msat: number | bigint | string;
      /** What happened: constrained, unconstrained or succeeded. */
      inform: 'constrained' | 'unconstrained' | 'succeeded';
    };
    result: {
      /** The record, if it is a minimum or maximum. */
      readonly constraints: readonly {
        readonly short_channel_id_dir: string;
        readonly timestamp?: number | bigint;
        readonly maximum_msat?: number | bigint;
        readonly minimum_msat?: number | bigint;
        readonly layer: string;
      }[];
      /** The record, if liquidity moved. */
      readonly impressions: readonly {
        readonly short_channel_id_dir: string;
        readonly timestamp: number | bigint;
        readonly amount_msat: number | bigint;
        readonly layer: string;
      }[];
    };
  };
  /** Show one layer or all of them. */
  'askrene-listlayers': {
    params: {
      /** Show only this layer. */
      layer?: string;
    };
    result: {
      /** Objects of layer, persistent, disabled_nodes, created_channels, channel_updates, constraints, disabled_channels?, impressions, biases, node_biases. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: readonly string[];
        readonly disabled_channels?: readonly string[];
        readonly created_channels: readonly {
          readonly source: string;
          readonly destination: string;
          readonly short_channel_id: string;
          readonly capacity_msat: number | bigint;
        }[];
        readonly channel_updates: readonly {
          readonly short_channel_id_dir: string;
          readonly enabled?: boolean;
          readonly htlc_minimum_msat?: number | bigint;
          readonly htlc_maximum_msat?: number | bigint;
          readonly fee_base_msat?: number | bigint;
          readonly fee_proportional_millionths?: number;
          readonly cltv_expiry_delta?: number;
        }[];
        readonly constraints: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp?: number | bigint;
          readonly maximum_msat?: number | bigint;
          readonly minimum_msat?: number | bigint;
        }[];
        readonly impressions?: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp: number | bigint;
          readonly amount_msat: number | bigint;
        }[];
        readonly biases: readonly {
          readonly short_channel_id_dir: string;
          readonly bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
        readonly node_biases: readonly {
          readonly node: string;
          readonly in_bias: number | bigint;
          readonly out_bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
      }[];
    };
  };
  /** Show the reservations that count for everyone. */
  'askrene-listreservations': {
    params: Record<string, never>;
    result: {
      /** Objects of short_channel_id_dir, amount_msat, age_in_seconds and command_id (the id of the request that made the reservation). */
      readonly reservations: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint;
        readonly age_in_seconds: number | bigint;
        readonly command_id: string;
      }[];
    };
  };
  /** Remove the overrides of a channel direction from a layer. */
  'askrene-remove-channel-update': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
    };
    result: object | string;
  };
  /** Remove a layer. */
  'askrene-remove-layer': {
    params: {
      /** Name of the layer. */
      layer: string;
    };
    result: object | string;
  };
  /** Reserve amounts on channel directions while they are in flight. */
  'askrene-reserve': {
    params: {
      /** Objects of short_channel_id_dir, amount_msat (what crosses the channel) and optionally layer. */
      path: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint | string;
        readonly layer?: string;
      }[];
    };
    result: object | string;
  };
  /** Score a given route. */
  'askrene-score': {
    params: {
      /** Hops from the source to the destination, as short_channel_id_dir or as objects that have one. */
      path: readonly unknown[];
      /** Amount that arrives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Blocks that the destination itself asks for. */
      final_cltv?: number | string;
      /** Most fees: more is a fault. */
      maxfee_msat?: number | bigint | string;
      /** Most blocks that money may be locked for: more is a fault. */
      maxdelay?: number | string;
    };
    result: {
      /** Probability that all hops carry their amounts. 0 when one cannot. */
      readonly probability_ppm: number;
      /** What arrives. */
      readonly amount_msat: number | bigint;
      /** What is sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** The fees. */
      readonly fee_msat: number | bigint;
      /** Most blocks that money may be locked for, final_cltv included. */
      readonly delay: number;
      /** Objects of fault (disabled, below_htlc_minimum, above_htlc_maximum, too_little_liquidity, fee, delay, hops, loop), hop?, short_channel_id_dir?, limit_msat?, limit?. */
      readonly faults: readonly {
        readonly fault:
          | 'disabled'
          | 'below_htlc_minimum'
          | 'above_htlc_maximum'
          | 'too_little_liquidity'
          | 'fee'
          | 'delay'
          | 'hops'
          | 'loop';
        readonly hop?: number;
        readonly short_channel_id_dir?: string;
        readonly limit_msat?: number | bigint;
        readonly limit?: number;
      }[];
      /** Hops as `getroutes` shows them, each with its probability, bounds and policy. */
      readonly path: readonly {
        readonly short_channel_id_dir: string;
        readonly node_id_in: string;
        readonly node_id_out: string;
        readonly amount_in_msat: number | bigint;
        readonly amount_out_msat: number | bigint;
        readonly cltv_in: number;
        readonly cltv_out: number;
        readonly probability_ppm: number;
        readonly enabled: boolean;
        readonly capacity_msat: number | bigint;
        readonly minimum_msat: number | bigint;
        readonly maximum_msat: number | bigint;
        readonly htlc_minimum_msat: number | bigint;
        readonly htlc_maximum_msat: number | bigint;
        readonly fee_base_msat: number | bigint;
        readonly fee_proportional_millionths: number;
        readonly cltv_expiry_delta: number;
        readonly bias: number | bigint;
      }[];
    };
  };
  /** Release reserved amounts. */
  'askrene-unreserve': {
    params: {
      /** Objects of short_channel_id_dir, amount_msat and optionally layer. */
      path: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint | string;
        readonly layer?: string;
      }[];
    };
    result: object | string;
  };
  /** Override the policy of a channel direction in a layer. */
  'askrene-update-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** Whether the direction can be used. */
      enabled?: boolean;
      /** Smallest amount of one HTLC. */
      htlc_minimum_msat?: number | bigint | string;
      /** Largest amount of one HTLC. */
      htlc_maximum_msat?: number | bigint | string;
      /** Fee per HTLC. */
      fee_base_msat?: number | bigint | string;
      /** Fee in millionths of the amount. */
      fee_proportional_millionths?: number | string;
      /** Blocks of delay. */
      cltv_expiry_delta?: number | string;
    };
    result: object | string;
  };
  /** Copy the database and the key to a new directory while the service works. */
  backup: {
    params: {
      /** Absolute path of the directory to make. */
      destination: string;
    };
    result: {
      /** Path of the copy of the database. */
      readonly database: string;
      /** Size of the copy of the database, in bytes. */
      readonly bytes: number | bigint;
    };
  };
  /** Allow database commits of this connection to be gathered. */
  batching: {
    params: {
      /** Whether commits may be gathered. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Take runes out of use, or back into use. */
  blacklistrune: {
    params: {
      /** The first unique_id. Without it, the blacklist is shown as it is. */
      start?: number | bigint | string;
      /** The last unique_id. Without it, only the first. */
      end?: number | bigint | string;
      /** Whether to take them off the blacklist instead. */
      relist?: boolean;
    };
    result: {
      /** Ranges of unique_id, in ascending order: start, end. */
      readonly blacklist: readonly {
        readonly start: number | bigint;
        readonly end: number | bigint;
      }[];
    };
  };
  /** Cancel a series of recurring invoices. */
  cancelrecurringinvoice: {
    params: {
      /** The offer, `lno1…`. */
      offer: string;
      /** Counter of the first period that is not wanted. It is not 0. */
      recurrence_counter: number | bigint | string;
      /** Label of the series, as given to `fetchinvoice`. */
      recurrence_label: string | number;
      /** First period of the series. Only for offers with a base. */
      recurrence_start?: number | bigint | string;
      /** A note for the issuer. */
      payer_note?: string;
      /** The human-readable name by which the offer was found. */
      bip353?: string;
    };
    result: {
      /** The invoice request that was sent, `lnr1…`. */
      readonly bolt12: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Check the parameters of a command without running it. */
  check: {
    params: {
      /** The command that would be called. */
      command_to_check: string;
    };
    result: {
      /** The command whose parameters are fine. */
      readonly command_to_check: string;
    };
  };
  /** Check a proof that an invoice was paid. */
  checkproof: {
    params: {
      /** The payer proof, or the BOLT 11 invoice. */
      proof: string;
      /** The preimage that belongs to a BOLT 11 invoice. */
      payment_preimage?: string;
    };
    result: {
      /** Whether the invoice was paid. */
      readonly valid: boolean;
      /** What is wrong with the proof. */
      readonly reason?: string;
      /** `bolt12 payer proof` or `bolt11 invoice`. */
      readonly type?: string;
      /** The payment hash that the node signed. */
      readonly payment_hash?: string;
      /** The preimage of the payment hash. */
      readonly payment_preimage?: string;
      /** The node that signed the invoice. */
      readonly node_id?: string;
      /** The key of the payer, which signed the proof. */
      readonly payer_id?: string;
      /** The amount that the invoice asked for. */
      readonly amount_msat?: number | bigint;
      /** The description in the invoice. */
      readonly description?: string;
      /** UNIX time of the invoice. */
      readonly created_at?: number | bigint;
      /** The note that the payer signed. */
      readonly note?: string;
    };
  };
  /** Check whether a rune permits a request. */
  checkrune: {
    params: {
      /** The rune. */
      rune: string;
      /** The node that makes the request. */
      nodeid?: string;
      /** The command that is called. */
      method?: string;
      /** Its parameters. */
      params?: Readonly<Record<string, unknown>> | readonly unknown[];
    };
    result: {
      /** Always `true`. */
      readonly valid: boolean;
    };
  };
  /** Connect to a peer. */
  connect: {
    params: {
      /** The node id, or `ID@HOST:PORT`. */
      id: string;
      /** Host name or address. */
      host?: string;
      /** TCP port, default 9735. */
      port?: number | string;
    };
    result: {
      /** The peer. */
      readonly id: string;
      /** Feature bits (BOLT 9) of the peer. */
      readonly features: string;
      /** Who opened the connection: `out` for us, `in` for the peer. */
      readonly direction: string;
      /** The peer's end of the connection: type, address, port. On a simulated network it is made from the node id. */
      readonly address: {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      };
    };
  };
  /** Prove that an invoice was paid. */
  createproof: {
    params: {
      /** The invoice, BOLT 11 or BOLT 12; or the offer, or the name (BIP 353), that it was fetched for. */
      invstring: string;
      /** A text that is signed as well, for example one that the verifier chose. */
      note?: string;
      /** Fields to show if the invoice has them, by name or number. Default: offer_description, offer_issuer_id, invoice_created_at and invoice_amount. Shown in any case: invreq_payer_id, invoice_payment_hash, invoice_features, invoice_node_id and signature. */
      include?: readonly (string | number | bigint)[];
    };
    result: {
      /** Objects of bolt12, offer_fields_included, invreq_fields_included and invoice_fields_included; or of bolt11 and payment_preimage. One for each complete payment. */
      readonly proofs: readonly {
        readonly bolt12?: string;
        readonly offer_fields_included?: readonly unknown[];
        readonly invreq_fields_included?: readonly unknown[];
        readonly invoice_fields_included?: readonly unknown[];
        readonly bolt11?: string;
        readonly payment_preimage?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Make a rune, which lets its holder call some commands over HTTP. */
  createrune: {
    params: {
      /** A rune to narrow. Without it, a new one is made and stored. */
      rune?: string;
      /** `readonly`, or an array of restrictions, each an array of alternatives. Without any, the rune permits everything. */
      restrictions?: 'readonly' | readonly (readonly string[])[];
    };
    result: {
      /** The rune: a secret. */
      readonly rune: string;
      /** The number that names it. */
      readonly unique_id: string;
      /** Present when the rune permits everything. */
      readonly warning_unrestricted_rune?: string;
    };
  };
  /** Decode an offer, an invoice request, or an invoice. */
  decode: {
    params: {
      /** What to decode. */
      string: string;
    };
    result: {
      /** `bolt12 offer`, `bolt12 invoice_request`, `bolt12 invoice`, `bolt11 invoice`. */
      readonly type: string;
      /** Whether it could be used. */
      readonly valid: boolean;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_id?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_chains?: readonly string[];
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_metadata?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_currency?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly currency_minor_unit?: number;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_amount?: number | bigint;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_amount_msat?: number | bigint;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_description?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_issuer?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_features?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_absolute_expiry?: number | bigint;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_quantity_max?: number | bigint;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_recurrence?: {
        readonly compulsory_field?: boolean;
        readonly time_unit: number;
        readonly time_unit_name: 'seconds' | 'days' | 'months';
        readonly period: number;
        readonly basetime?: number | bigint;
        readonly proportional_amount?: boolean;
        readonly limit?: number;
        readonly paywindow?: {
          readonly seconds_before: number;
          readonly seconds_after: number;
        };
      };
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly offer_issuer_id?: string;
      /** Of the offer, and of what repeats it (BOLT 12). */
      readonly unknown_offer_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_metadata?: string;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_payer_id?: string;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_chain?: string;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_amount_msat?: number | bigint;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_features?: string;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_quantity?: number | bigint;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_payer_note?: string;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_bip_353_name?: {
        readonly name?: string;
        readonly domain?: string;
      };
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_recurrence_counter?: number;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_recurrence_start?: number;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly invreq_recurrence_cancel?: boolean;
      /** Of the invoice request, and of the invoice that repeats it (BOLT 12). */
      readonly unknown_invoice_request_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_created_at?: number | bigint;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_relative_expiry?: number;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_payment_hash?: string;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_amount_msat?: number | bigint;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_fallbacks?: readonly {
        readonly version: number;
        readonly hex: string;
        readonly address?: string;
        readonly warning_invalid_invoice_fallbacks_version?: string;
        readonly warning_invalid_invoice_fallbacks_address?: string;
      }[];
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_features?: string;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_node_id?: string;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly invoice_recurrence_basetime?: number | bigint;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly signature?: string;
      /** Of the invoice (BOLT 12). A request and a BOLT 11 invoice have a signature too. */
      readonly unknown_invoice_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Of a BOLT 11 invoice. */
      readonly currency?: string;
      /** Of a BOLT 11 invoice. */
      readonly created_at?: number | bigint;
      /** Of a BOLT 11 invoice. */
      readonly expiry?: number | bigint;
      /** Of a BOLT 11 invoice. */
      readonly payee?: string;
      /** Of a BOLT 11 invoice. */
      readonly amount_msat?: number | bigint;
      /** Of a BOLT 11 invoice. */
      readonly description?: string;
      /** Of a BOLT 11 invoice. */
      readonly description_hash?: string;
      /** Of a BOLT 11 invoice. */
      readonly min_final_cltv_expiry?: number;
      /** Of a BOLT 11 invoice. */
      readonly payment_secret?: string;
      /** Of a BOLT 11 invoice. */
      readonly features?: string;
      /** Of a BOLT 11 invoice. */
      readonly payment_metadata?: string;
      /** Of a BOLT 11 invoice. */
      readonly fallbacks?: readonly {
        readonly type: string;
        readonly addr?: string;
        readonly hex: string;
      }[];
      /** Of a BOLT 11 invoice. */
      readonly routes?: readonly (readonly {
        readonly pubkey: string;
        readonly short_channel_id: string;
        readonly fee_base_msat: number | bigint;
        readonly fee_proportional_millionths: number;
        readonly cltv_expiry_delta: number;
      }[])[];
      /** Of a BOLT 11 invoice. */
      readonly extra?: readonly {
        readonly tag: string;
        readonly data: string;
      }[];
      /** Of a BOLT 11 invoice. */
      readonly payment_hash?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_unknown_offer_currency?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_missing_offer_description?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_missing_invreq_metadata?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_missing_invreq_payer_id?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_missing_invoice_request_signature?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_invalid_invoice_request_signature?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_missing_invoice_recurrence_basetime?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_empty_blinded_path?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_invreq_bip_353_name_name_invalid?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_invreq_bip_353_name_domain_invalid?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_invreq_recurrence_cancel_without_counter?: string;
      /** Why the text cannot be used, or what is unusual in it. */
      readonly warning_invreq_recurrence_cancel_with_zero_counter?: string;
    };
  };
  /** Forget a payment that is complete or failed. */
  delpay: {
    params: {
      /** Payment hash of the payment. */
      payment_hash: string;
      /** Its state. */
      status: 'complete' | 'failed';
      /** Only this part. Needs groupid. */
      partid?: number | bigint | string;
      /** Only this group of parts. Needs partid. */
      groupid?: number | bigint | string;
    };
    result: {
      /** What was removed, as `listsendpays` showed it. */
      readonly payments: readonly {
        readonly created_index: number | bigint;
        readonly id: number | bigint;
        readonly payment_hash: string;
        readonly groupid: number | bigint;
        readonly updated_index?: number | bigint;
        readonly partid?: number | bigint;
        readonly destination?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly payment_preimage?: string;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Allow or refuse deprecated commands on this connection. */
  deprecations: {
    params: {
      /** Whether deprecated commands are served. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Take runes out of use, or back into use. */
  destroyrune: {
    params: {
      /** The first unique_id. Without it, the blacklist is shown as it is. */
      start?: number | bigint | string;
      /** The last unique_id. Without it, only the first. */
      end?: number | bigint | string;
      /** Whether to take them off the blacklist instead. */
      relist?: boolean;
    };
    result: {
      /** Ranges of unique_id, in ascending order: start, end. */
      readonly blacklist: readonly {
        readonly start: number | bigint;
        readonly end: number | bigint;
      }[];
    };
  };
  /** Disable an invoice request. */
  disableinvoicerequest: {
    params: {
      /** The request’s id. */
      invreq_id: string;
    };
    result: {
      /** SHA-256 of the request. */
      readonly invreq_id: string;
      /** False. */
      readonly active: boolean;
      /** Whether we would pay only once. */
      readonly single_use: boolean;
      /** The request, `lnr1…`. */
      readonly bolt12: string;
      /** Whether an invoice for it was paid. */
      readonly used: boolean;
      /** The label that it was made with. */
      readonly label?: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Disable an offer. */
  disableoffer: {
    params: {
      /** The offer’s id. */
      offer_id: string;
    };
    result: {
      /** SHA-256 of the offer. */
      readonly offer_id: string;
      /** False. */
      readonly active: boolean;
      /** Whether the first payment would close it. */
      readonly single_use: boolean;
      /** The offer, `lno1…`. */
      readonly bolt12: string;
      /** False. */
      readonly force_paths: boolean;
      /** Whether it has been paid. */
      readonly used: boolean;
      /** The label that it was made with. */
      readonly label?: string;
      /** The offer’s description. */
      readonly description?: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Disconnect a peer. */
  disconnect: {
    params: {
      /** The peer. */
      id: string;
      /** Whether to disconnect a peer that we have a channel with. */
      force?: boolean;
    };
    result: object | string;
  };
  /** Make a link to the page that shows this node in a browser. */
  explorer: {
    params: Record<string, never>;
    result: {
      /** The link: a secret until it is opened or expires. */
      readonly url: string;
      /** The number that names its rune, for `blacklistrune`. */
      readonly unique_id: string;
      /** UNIX time in seconds after which the rune permits nothing. */
      readonly valid_until: number | bigint;
      /** UNIX time in seconds after which the link no longer works. */
      readonly link_valid_until: number | bigint;
    };
  };
  /** Fetch an invoice for an offer. */
  fetchinvoice: {
    params: {
      /** The offer, `lno1…`. */
      offer: string;
      /** Amount to pay. Required when the offer names no amount. */
      amount_msat?: number | bigint | string;
      /** How many items. Required when the offer has quantity_max, refused otherwise. */
      quantity?: number | bigint | string;
      /** Required for recurring offers. 0 for the first invoice of the series, one more for each later one. */
      recurrence_counter?: number | bigint | string;
      /** First period of the series. Only for offers with a base. Usually 0. */
      recurrence_start?: number | bigint | string;
      /** Links the invoices of one series. Required with a counter. */
      recurrence_label?: string | number;
      /** Most seconds from the call to the answer. */
      timeout?: number | bigint | string;
      /** A note for the issuer. The invoice repeats it. */
      payer_note?: string;
      /** Text or hex from which the payer id is derived. Keep it secret. Random by default. */
      payer_metadata?: string;
      /** The human-readable name by which the offer was found. */
      bip353?: string;
    };
    result: {
      /** The invoice, `lni1…`. */
      readonly invoice: string;
      /** Differences from the offer. Empty when there are none. */
      readonly changes: {
        readonly description_appended?: string;
        readonly description?: string;
        readonly vendor_removed?: string;
        readonly vendor?: string;
        readonly amount_msat?: number | bigint;
        readonly next_period?: {
          readonly counter: number | bigint;
          readonly starttime: number | bigint;
          readonly endtime: number | bigint;
          readonly paywindow_start: number | bigint;
          readonly paywindow_end: number | bigint;
        };
      };
      /** When the next invoice may be fetched. The same as in `changes`. */
      readonly next_period?: {
        readonly counter: number | bigint;
        readonly starttime: number | bigint;
        readonly endtime: number | bigint;
        readonly paywindow_start: number | bigint;
        readonly paywindow_end: number | bigint;
      };
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show who this node is. */
  getinfo: {
    params: Record<string, never>;
    result: {
      /** Our node id. */
      readonly id: string;
      /** Our alias. */
      readonly alias: string;
      /** Our colour: red, green, blue. */
      readonly color: string;
      /** Peers that are connected or have a channel with us. */
      readonly num_peers: number;
      /** Channels being opened. */
      readonly num_pending_channels: number;
      /** Channels that can carry payments. */
      readonly num_active_channels: number;
      /** Channels waiting for their peer, or closing. */
      readonly num_inactive_channels: number;
      /** Addresses we announce. */
      readonly address: readonly {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      }[];
      /** Addresses we listen on. */
      readonly binding: readonly {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      }[];
      /** Version of this software. */
      readonly version: string;
      /** Height of the chain as we know it. 0 while it is unknown. */
      readonly blockheight: number;
      /** Name of the chain. */
      readonly network: string;
      /** What stands behind this node: `simulated`, a network in a box, whose money is not real; `peer`, the real wire; `none`, nothing: routes and layers only; `cln` or `lnd`, a Core Lightning or LND node, whose money is real. */
      readonly network_kind: string;
      /** Fees earned by forwarding. */
      readonly fees_collected_msat: number | bigint;
      /** The data directory. */
      readonly 'lightning-dir': string;
      /** Only on the real wire. The chain source that channels are checked with: `bitcoind`, `esplora` or `unchecked`. */
      readonly gossip_check?: string;
      /** Present without that check. Says how far channels and height can be trusted. */
      readonly warning_gossip_check?: string;
      /** Beside a node of another kind: its kind, id and version, and whether our plugin runs in it. Its channels, its money and its id are the ones shown here. */
      readonly node_behind?: {
        readonly kind: string;
        readonly id: string;
        readonly version: string;
      };
      /** Why that node cannot pay at the moment. */
      readonly warning_node_behind?: string;
      /** Why nothing new is paid: a failover of the shared database may have lost payments. */
      readonly warning_doubt?: string;
      /** Feature bits that we set in init, node, channel and invoice, as hex. */
      readonly our_features: {
        readonly init: string;
        readonly node: string;
        readonly channel: string;
        readonly invoice: string;
      };
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show the last lines of the log. */
  getlog: {
    params: {
      /** Level from which on lines are shown. */
      level?: 'io' | 'trace' | 'debug' | 'info' | 'unusual' | 'broken';
    };
    result: {
      /** When the log began: UNIX seconds with nine decimals. */
      readonly created_at: string;
      /** Characters of the lines that are kept. */
      readonly bytes_used: number;
      /** Most characters of lines that are kept. */
      readonly bytes_max: number;
      /** Lines, the oldest first: type (BROKEN, UNUSUAL, INFO, DEBUG), time, source, log, and fields with values for programs; or type SKIPPED with num_skipped. */
      readonly log: readonly {
        readonly type: 'SKIPPED' | 'BROKEN' | 'UNUSUAL' | 'INFO' | 'DEBUG' | 'TRACE';
        readonly num_skipped?: number;
        readonly time?: string;
        readonly source?: string;
        readonly log?: string;
        readonly fields?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
  /** Show the metrics of this node. */
  getmetrics: {
    params: Record<string, never>;
    result: {
      /** Media type of the text. */
      readonly content_type: string;
      /** The text. */
      readonly metrics: string;
    };
  };
  /** Show one payment: its attempts, what each taught, and until when money is locked. */
  getpayment: {
    params: {
      /** The payment. */
      payment_hash: string;
    };
    result: {
      /** Empty when there is none of this hash. */
      readonly payments: readonly {
        readonly id: string;
        readonly created_index: number | bigint;
        readonly command: 'keysend' | 'xkeysend' | 'xpay' | 'pay';
        readonly payment_hash: string;
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly label?: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly completed_at?: number;
        readonly maxfee_msat: number | bigint;
        readonly maxdelay: number;
        readonly retry_for: number;
        readonly layers: readonly string[];
        readonly seed: number | bigint;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
        readonly attempts: readonly {
          readonly id: number | bigint;
          readonly status: 'pending' | 'complete' | 'failed';
          readonly failreason?: string;
          readonly partid: number | bigint;
          readonly amount_msat: number | bigint;
          readonly amount_sent_msat: number | bigint;
          readonly probability_ppm: number;
          readonly created_at: number;
          readonly completed_at?: number;
          readonly route: readonly {
            readonly short_channel_id_dir: string;
            readonly id: string;
            readonly amount_msat: number | bigint;
            readonly delay: number;
          }[];
          readonly failure?: {
            readonly erring_index?: number;
            readonly failcode?: number;
            readonly failcodename?: string;
            readonly erring_node?: string;
            readonly erring_channel?: string;
            readonly erring_direction?: number;
            readonly raw_message?: string;
          };
          readonly expiry_height: number;
          readonly learned: readonly {
            readonly kind:
              | 'delivered'
              | 'carried'
              | 'blocked'
              | 'refused'
              | 'policy'
              | 'minimum'
              | 'suspect_channel'
              | 'avoid_channel'
              | 'avoid_node'
              | 'other';
            readonly text: string;
            readonly node?: string;
            readonly short_channel_id_dir?: string;
            readonly capacity_msat?: number | bigint;
            readonly amount_msat?: number | bigint;
            readonly before?: {
              readonly minimum_msat: number | bigint;
              readonly maximum_msat: number | bigint;
            };
            readonly after?: {
              readonly minimum_msat: number | bigint;
              readonly maximum_msat: number | bigint;
            };
          }[];
        }[];
        readonly simulated?: boolean;
      }[];
      /** Height of the chain now, to compare with `expiry_height`. */
      readonly blockheight: number;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Find routes for a payment. */
  getroutes: {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Node that receives. */
      destination: string;
      /** Amount that the destination receives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Most fees of all routes together. */
      maxfee_msat: number | bigint | string;
      /** Blocks that the destination itself asks for. */
      final_cltv: number | string;
      /** Most blocks that money may be locked for on any route, final_cltv included. At most 2016. */
      maxdelay?: number | string;
      /** Most routes the amount may be split into. */
      maxparts?: number | string;
      /** Whether to answer with the front of fee and probability too. */
      pareto?: boolean;
    };
    result: {
      /** Probability that all routes succeed, in parts per million. */
      readonly probability_ppm: number;
      /** Objects of probability_ppm, amount_msat delivered, final_cltv, and path, hop by hop. */
      readonly routes: readonly {
        readonly probability_ppm: number;
        readonly amount_msat: number | bigint;
        readonly final_cltv: number;
        readonly path: readonly {
          readonly short_channel_id_dir: string;
          readonly next_node_id?: string;
          readonly amount_msat?: number | bigint;
          readonly delay?: number;
          readonly amount_in_msat: number | bigint;
          readonly amount_out_msat: number | bigint;
          readonly node_id_in: string;
          readonly node_id_out: string;
          readonly cltv_in: number;
          readonly cltv_out: number;
        }[];
      }[];
      /** Present only where a better answer may exist: the search was cut short, or the odds are below 37 % and no proof puts this answer within 1 % of the best. A search is cut by counted work, so the same request is always cut at the same place. cost_msat is what these routes cost: fee, risk, delay and parts together. No answer costs less than least_cost_msat. */
      readonly unfinished?: {
        readonly cost_msat: number | bigint;
        readonly least_cost_msat: number | bigint;
      };
      /** With `pareto`: answers of which none is both cheaper and likelier than another, the cheapest first and the likeliest last. Objects of fee_msat, probability_ppm, routes, and perhaps unfinished. */
      readonly front?: readonly {
        readonly fee_msat: number | bigint;
        readonly probability_ppm: number;
        readonly routes: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly unfinished?: {
          readonly cost_msat: number | bigint;
          readonly least_cost_msat: number | bigint;
        };
      }[];
    };
  };
  /** Find routes for many payments. */
  'getroutes-batch': {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Objects of destination, amount_msat, and perhaps source, maxfee_msat, final_cltv, maxdelay and maxparts. */
      requests: readonly {
        readonly source?: string;
        readonly destination: string;
        readonly amount_msat: number | bigint | string;
        readonly maxfee_msat?: number | bigint | string;
        readonly final_cltv?: number;
        readonly maxdelay?: number;
        readonly maxparts?: number;
      }[];
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Most fees of all routes together. */
      maxfee_msat: number | bigint | string;
      /** Blocks that the destinations themselves ask for. */
      final_cltv?: number | string;
      /** Most blocks that money may be locked for on any route, final_cltv included. At most 2016. */
      maxdelay?: number | string;
      /** Most routes the amount may be split into. */
      maxparts?: number | string;
    };
    result: {
      /** One object per request: destination, amount_msat, and probability_ppm and routes as `getroutes` answers them, or error {code, message, data}. */
      readonly answers: readonly {
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly probability_ppm?: number;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly unfinished?: {
          readonly cost_msat: number | bigint;
          readonly least_cost_msat: number | bigint;
        };
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      }[];
    };
  };
  /** List available commands, or show one of them. */
  help: {
    params: {
      /** The command to show. */
      command?: string;
    };
    result: {
      /** One object per command. Its member `command` is the usage. `forwarded`: the node behind this service carries it out, for callers of the socket only. */
      readonly help: readonly {
        readonly command: string;
        readonly forwarded?: boolean;
      }[];
      /** Always `simple`, so that clients show the list as text. */
      readonly 'format-hint': string;
    };
  };
  /** Make an invoice request for sending payments. */
  invoicerequest: {
    params: {
      /** Amount that we will pay. */
      amount: number | bigint | string;
      /** What the payment is for. */
      description?: string;
      /** Who we are. */
      issuer?: string;
      /** A label for ourselves. The request does not contain it. */
      label?: string;
      /** UNIX time after which the request is no longer valid. */
      absolute_expiry?: number | bigint | string;
      /** Whether we pay only once. */
      single_use?: boolean;
    };
    result: {
      /** SHA-256 of the request. */
      readonly invreq_id: string;
      /** True. */
      readonly active: boolean;
      /** Whether we pay only once. */
      readonly single_use: boolean;
      /** The request, `lnr1…`. */
      readonly bolt12: string;
      /** False. */
      readonly used: boolean;
      /** The label that was given. */
      readonly label?: string;
      /** What happens to invoices where nothing can be paid. */
      readonly warning_not_paid?: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Make a rune, which lets its holder call some commands over HTTP. */
  invokerune: {
    params: {
      /** A rune to narrow. Without it, a new one is made and stored. */
      rune?: string;
      /** `readonly`, or an array of restrictions, each an array of alternatives. Without any, the rune permits everything. */
      restrictions?: 'readonly' | readonly (readonly string[])[];
    };
    result: {
      /** The rune: a secret. */
      readonly rune: string;
      /** The number that names it. */
      readonly unique_id: string;
      /** Present when the rune permits everything. */
      readonly warning_unrestricted_rune?: string;
    };
  };
  /** Pay a node by its id, without an invoice. @deprecated */
  keysend: {
    params: {
      /** Node id the payment goes to. */
      destination: string;
      /** Amount to send. Without suffix in msat; suffixes are msat, sat and btc. */
      amount_msat: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string;
      /** Most fees, in per cent of the amount. Default 0.5. */
      maxfeepercent?: number;
      /** Seconds during which new attempts begin. One that is under way may take longer. */
      retry_for?: number | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** Fees up to this are allowed whatever maxfeepercent says. Default 5000msat. */
      exemptfee?: number | bigint | string;
      /** Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public. */
      routehints?: readonly (readonly Readonly<Record<string, unknown>>[])[];
      /** Further fields for the recipient: TLV type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** Most fees, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** A key of the caller’s choice. A repeated request with the same key gets the outcome of the first one and pays nothing. This holds over a restart too. A request that differs in anything is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat those of a plan. Random by default. */
      seed?: number | bigint | string;
    };
    result: {
      /** Where it went. */
      readonly destination?: string;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** UNIX time of the request. */
      readonly created_at: number;
      /** Attempts that it took. */
      readonly parts: number;
      /** What the recipient received. */
      readonly amount_msat: number | bigint;
      /** What was sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** Some part is still on its way. */
      readonly warning_partial_completion?: string;
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** `complete` */
      readonly status: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show between which bounds a layer believes the liquidity of channels to be. */
  listbeliefs: {
    params: {
      /** The layer. */
      layer?: string;
      /** `newest` or `oldest` record, `narrowest` or `widest` part of the capacity, `largest` or `channel`. */
      sort?: 'newest' | 'oldest' | 'narrowest' | 'widest' | 'largest' | 'channel';
      /** Leave out this many. */
      start?: number | string;
      /** Show at most this many. */
      limit?: number | string;
      /** Only this direction. */
      short_channel_id_dir?: string;
    };
    result: {
      /** One object per direction. */
      readonly beliefs: readonly {
        readonly short_channel_id_dir: string;
        readonly source?: string;
        readonly destination?: string;
        readonly capacity_msat?: number | bigint;
        readonly minimum_msat: number | bigint;
        readonly maximum_msat: number | bigint;
        readonly records: number | bigint;
        readonly timestamp: number | bigint;
      }[];
      /** How many directions there are in all. */
      readonly num_beliefs: number | bigint;
      /** The records about both directions of the channel, the oldest first. */
      readonly history?: readonly {
        readonly short_channel_id_dir: string;
        readonly kind: 'minimum' | 'maximum' | 'impression';
        readonly amount_msat: number | bigint;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Show the channels of the graph: all, one, or those out of or into a node. */
  listchannels: {
    params: {
      /** Only this channel, both directions. */
      short_channel_id?: string;
      /** Only directions that leave this node. */
      source?: string;
      /** Only directions that end at this node. */
      destination?: string;
    };
    result: {
      /** Objects of source, destination, short_channel_id, direction, public, amount_msat, message_flags, channel_flags, active, last_update, base_fee_millisatoshi, fee_per_millionth, delay, htlc_minimum_msat, htlc_maximum_msat, features. */
      readonly channels: readonly {
        readonly source: string;
        readonly destination: string;
        readonly short_channel_id: string;
        readonly direction: number;
        readonly public: boolean;
        readonly amount_msat: number | bigint;
        readonly message_flags: number;
        readonly channel_flags: number;
        readonly active: boolean;
        readonly last_update: number;
        readonly base_fee_millisatoshi: number;
        readonly fee_per_millionth: number;
        readonly delay: number;
        readonly htlc_minimum_msat: number | bigint;
        readonly htlc_maximum_msat?: number | bigint;
        readonly features: string;
      }[];
    };
  };
  /** List options, or one of them. */
  listconfigs: {
    params: {
      /** Name of the only option to show. */
      config?: string;
    };
    result: {
      /** Objects by name of option. value_int, value_str, values_str or set is the value. source or sources is where it comes from: default, cmdline, environment NAME, setconfig, or file:line. dynamic tells that `setconfig` can change it. A secret is shown as `...`. */
      readonly configs: Readonly<
        Record<
          string,
          {
            readonly value_int?: number | bigint;
            readonly value_str?: string;
            readonly values_str?: readonly string[];
            readonly set?: boolean;
            readonly source?: string;
            readonly sources?: readonly string[];
            readonly dynamic?: boolean;
          }
        >
      >;
    };
  };
  /** Show the last fetches of invoices: the ways that were tried, and how each ended. */
  listfetches: {
    params: {
      /** Only the fetch of this number. */
      number?: number | string;
    };
    result: {
      /** One object per fetch. */
      readonly fetches: readonly {
        readonly number: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly took_ms: number;
        readonly timeout: number;
        readonly offer_id: string;
        readonly offer: string;
        readonly offered: {
          readonly description?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
        };
        readonly steps: readonly {
          readonly target: string;
          readonly offer_path?: number;
          readonly outcome: 'connecting' | 'sending' | 'unreachable' | 'sent' | 'answered';
          readonly started_ms: number;
          readonly took_ms: number;
          readonly connected?: boolean;
          readonly route?: readonly string[];
          readonly reason?: string;
        }[];
        readonly invoice?: string;
        readonly invoiced?: {
          readonly description?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
          readonly created_at?: number | bigint;
          readonly expires_at?: number | bigint;
        };
        readonly changes?: {
          readonly description_appended?: string;
          readonly description?: string;
          readonly vendor_removed?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
        };
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show our funds. */
  listfunds: {
    params: {
      /** Accepted as Core Lightning does. There are no outputs, spent or not. */
      spent?: boolean;
    };
    result: {
      /** Empty. */
      readonly outputs: readonly unknown[];
      /** Objects of peer_id, connected, state, channel_id, short_channel_id?, our_amount_msat, amount_msat, funding_txid, funding_output. */
      readonly channels: readonly {
        readonly peer_id: string;
        readonly connected: boolean;
        readonly state: string;
        readonly channel_id: string;
        readonly short_channel_id?: string;
        readonly our_amount_msat: number | bigint;
        readonly amount_msat: number | bigint;
        readonly funding_txid: string;
        readonly funding_output: number;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** List invoice requests. */
  listinvoicerequests: {
    params: {
      /** Only the request of this id. */
      invreq_id?: string;
      /** Whether to leave out requests that accept no invoice any more. */
      active_only?: boolean;
    };
    result: {
      /** Objects of invreq_id, active, single_use, bolt12, used, label?. */
      readonly invoicerequests: readonly {
        readonly invreq_id: string;
        readonly active: boolean;
        readonly single_use: boolean;
        readonly bolt12: string;
        readonly used: boolean;
        readonly label?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show invoices made for our offers. */
  listinvoices: {
    params: {
      /** Only the invoice of this label. */
      label?: string | number;
      /** Only this invoice. */
      invstring?: string;
      /** Only the invoice of this hash. */
      payment_hash?: string;
      /** Only invoices for this offer. */
      offer_id?: string;
      /** The index that `start` and `limit` count by. */
      index?: 'created';
      /** First index to show. */
      start?: number | bigint | string;
      /** Most invoices to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of label, bolt12, payment_hash, amount_msat, status, description?, expires_at, created_index, local_offer_id, invreq_payer_note?, payment_preimage?. */
      readonly invoices: readonly {
        readonly label: string;
        readonly bolt12?: string;
        readonly payment_hash: string;
        readonly amount_msat?: number | bigint;
        readonly status: 'unpaid' | 'paid' | 'expired';
        readonly description?: string;
        readonly expires_at: number | bigint;
        readonly created_index: number | bigint;
        readonly local_offer_id?: string;
        readonly invreq_payer_note?: string;
        readonly payment_preimage?: string;
        readonly pay_index?: number | bigint;
        readonly amount_received_msat?: number | bigint;
        readonly paid_at?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show the layers and how many entries each has. */
  listlayers: {
    params: Record<string, never>;
    result: {
      /** Objects of layer, persistent, and a number for each kind of entry. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: number;
        readonly created_channels: number;
        readonly channel_updates: number;
        readonly constraints: number;
        readonly impressions: number;
        readonly biases: number;
        readonly node_biases: number;
        readonly newest_record?: number | bigint;
      }[];
    };
  };
  /** Show the nodes of the channel graph, or one of them. */
  listnodes: {
    params: {
      /** The node to show. */
      id?: string;
    };
    result: {
      /** Objects of nodeid and, where announced, alias, last_timestamp, color, features. */
      readonly nodes: readonly {
        readonly nodeid: string;
        readonly alias?: string;
        readonly last_timestamp?: number;
        readonly color?: string;
        readonly features?: string;
        readonly addresses?: readonly {
          readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
          readonly address?: string;
          readonly socket?: string;
          readonly port?: number;
        }[];
      }[];
    };
  };
  /** Show the odds that were stated for attempts, and whether each arrived. */
  listodds: {
    params: {
      /** First attempt to look at, by its id. */
      start?: number | bigint | string;
      /** Look at no more attempts than this. */
      limit?: number | string;
    };
    result: {
      /** Objects of id, created_at, amount_msat, probability_ppm, hops and arrived. */
      readonly odds: readonly {
        readonly id: number | bigint;
        readonly created_at: number;
        readonly amount_msat: number | bigint;
        readonly probability_ppm: number;
        readonly hops: number;
        readonly arrived: boolean;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** List offers. */
  listoffers: {
    params: {
      /** Only the offer of this id. */
      offer_id?: string;
      /** Whether to leave out disabled offers. */
      active_only?: boolean;
    };
    result: {
      /** Objects of offer_id, active, single_use, bolt12, force_paths, used, label?, description?. */
      readonly offers: readonly {
        readonly offer_id: string;
        readonly active: boolean;
        readonly single_use: boolean;
        readonly bolt12: string;
        readonly force_paths: boolean;
        readonly used: boolean;
        readonly label?: string;
        readonly description?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show the latest payments, with the reason of those that failed or were refused. */
  listpayments: {
    params: {
      /** First payment to show, by its created_index. */
      start?: number | bigint | string;
      /** Show at most this many. */
      limit?: number | string;
    };
    result: {
      /** Objects of id, created_index, command, payment_hash, destination, amount_msat, amount_sent_msat once it is complete, label, status, created_at, completed_at, attempts (their number), and failure. */
      readonly payments: readonly {
        readonly id: string;
        readonly created_index: number | bigint;
        readonly command: 'keysend' | 'xkeysend' | 'xpay' | 'pay';
        readonly payment_hash: string;
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat?: number | bigint;
        readonly label?: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly completed_at?: number;
        readonly attempts: number;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
        };
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show payments and what became of them. */
  listpays: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only payments of this hash. */
      payment_hash?: string;
      /** Only those in this state. */
      status?: 'pending' | 'complete' | 'failed';
      /** The order of the list. */
      index?: 'created' | 'updated';
      /** First index to show. */
      start?: number | bigint | string;
      /** Show at most this many. */
      limit?: number | string;
    };
    result: {
      /** Objects of destination, payment_hash, status, created_at, completed_at, label, bolt11 or bolt12, description, invreq_payer_note, invreq_id, preimage, amount_msat, amount_sent_msat, number_of_parts, created_index, updated_index. Both indexes count attempts, as in `listsendpays`. In `getpayment`, `listpayments` and events, created_index is the number of the payment. */
      readonly pays: readonly {
        readonly destination?: string;
        readonly payment_hash: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly preimage?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat?: number | bigint;
        readonly number_of_parts?: number | bigint;
        readonly created_index?: number | bigint;
        readonly updated_index?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show our own channels. */
  listpeerchannels: {
    params: {
      /** Only channels with this peer. */
      id?: string;
      /** Only this channel. */
      short_channel_id?: string;
      /** Only the channel of this id. */
      channel_id?: string;
    };
    result: {
      /** Objects of peer_id, peer_connected, reestablished, channel_type, updates (local, remote), last_stable_connection?, features, state, scratch_txid, last_tx_fee_msat, lost_state, feerate, owner?, short_channel_id?, direction, channel_id, funding_txid, funding_outnum, close_to, private, opener, closer?, alias, funding, to_us_msat, min_to_us_msat, max_to_us_msat, total_msat, spendable_msat, receivable_msat, terms and limits, state_changes, status, counts and sums of HTLCs in and out, htlcs. */
      readonly channels: readonly {
        readonly peer_id: string;
        readonly peer_connected: boolean;
        readonly reestablished?: boolean;
        readonly channel_type?: {
          readonly bits: readonly number[];
          readonly names: readonly string[];
        };
        readonly updates?: {
          readonly local?: {
            readonly htlc_minimum_msat: number | bigint;
            readonly htlc_maximum_msat: number | bigint;
            readonly cltv_expiry_delta: number;
            readonly fee_base_msat: number | bigint;
            readonly fee_proportional_millionths: number;
          };
          readonly remote?: {
            readonly htlc_minimum_msat: number | bigint;
            readonly htlc_maximum_msat: number | bigint;
            readonly cltv_expiry_delta: number;
            readonly fee_base_msat: number | bigint;
            readonly fee_proportional_millionths: number;
          };
        };
        readonly last_stable_connection?: number | bigint;
        readonly features?: readonly string[];
        readonly state: string;
        readonly scratch_txid?: string;
        readonly last_tx_fee_msat?: number | bigint;
        readonly lost_state?: boolean;
        readonly feerate?: {
          readonly perkw: number;
          readonly perkb: number;
        };
        readonly owner?: string;
        readonly short_channel_id?: string;
        readonly direction?: number;
        readonly channel_id?: string;
        readonly funding_txid?: string;
        readonly funding_outnum?: number;
        readonly close_to?: string;
        readonly private?: boolean;
        readonly opener: 'local' | 'remote';
        readonly closer?: 'local' | 'remote';
        readonly alias?: {
          readonly local?: string;
          readonly remote?: string;
        };
        readonly funding?: {
          readonly local_funds_msat: number | bigint;
          readonly remote_funds_msat: number | bigint;
          readonly pushed_msat?: number | bigint;
          readonly withheld?: boolean;
        };
        readonly to_us_msat?: number | bigint;
        readonly min_to_us_msat?: number | bigint;
        readonly max_to_us_msat?: number | bigint;
        readonly total_msat?: number | bigint;
        readonly spendable_msat?: number | bigint;
        readonly receivable_msat?: number | bigint;
        readonly fee_base_msat?: number | bigint;
        readonly fee_proportional_millionths?: number;
        readonly dust_limit_msat?: number | bigint;
        readonly their_max_htlc_value_in_flight_msat?: number | bigint;
        readonly our_max_htlc_value_in_flight_msat?: number | bigint;
        readonly their_reserve_msat?: number | bigint;
        readonly our_reserve_msat?: number | bigint;
        readonly minimum_htlc_in_msat?: number | bigint;
        readonly minimum_htlc_out_msat?: number | bigint;
        readonly maximum_htlc_out_msat?: number | bigint;
        readonly their_to_self_delay?: number;
        readonly our_to_self_delay?: number;
        readonly max_accepted_htlcs?: number;
        readonly state_changes?: readonly {
          readonly timestamp: string;
          readonly old_state: string;
          readonly new_state: string;
          readonly cause: string;
          readonly message: string;
        }[];
        readonly status?: readonly string[];
        readonly in_payments_offered?: number | bigint;
        readonly in_offered_msat?: number | bigint;
        readonly in_payments_fulfilled?: number | bigint;
        readonly in_fulfilled_msat?: number | bigint;
        readonly out_payments_offered?: number | bigint;
        readonly out_offered_msat?: number | bigint;
        readonly out_payments_fulfilled?: number | bigint;
        readonly out_fulfilled_msat?: number | bigint;
        readonly htlcs?: readonly {
          readonly direction: 'in' | 'out';
          readonly id: number | bigint;
          readonly amount_msat: number | bigint;
          readonly expiry: number;
          readonly payment_hash: string;
          readonly state: string;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show the peers, or one of them. */
  listpeers: {
    params: {
      /** The peer to show. */
      id?: string;
      /** Accepted for clients that send it, and ignored. The log is not kept per peer. */
      level?: string;
    };
    result: {
      /** Objects of id, connected, num_channels. While connected, also netaddr and features. */
      readonly peers: readonly {
        readonly id: string;
        readonly connected: boolean;
        readonly num_channels: number;
        readonly netaddr?: readonly string[];
        readonly features?: string;
      }[];
    };
  };
  /** Show the attempts that were sent. */
  listsendpays: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only payments of this hash. */
      payment_hash?: string;
      /** Only those in this state. */
      status?: 'pending' | 'complete' | 'failed';
      /** The order of the list. */
      index?: 'created' | 'updated';
      /** First index to show. */
      start?: number | bigint | string;
      /** Show at most this many. */
      limit?: number | string;
    };
    result: {
      /** Objects of created_index, id, payment_hash, groupid, updated_index, partid, destination, amount_msat, amount_sent_msat, created_at, completed_at, status, payment_preimage, label, bolt11 or bolt12, description, invreq_payer_note, invreq_id. */
      readonly payments: readonly {
        readonly created_index: number | bigint;
        readonly id: number | bigint;
        readonly payment_hash: string;
        readonly groupid: number | bigint;
        readonly updated_index?: number | bigint;
        readonly partid?: number | bigint;
        readonly destination?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly payment_preimage?: string;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** List the offers that nodes of a simulated network issue. */
  listsimulatedoffers: {
    params: Record<string, never>;
    result: {
      /** Objects of offer_id, bolt12, description?, node_id, kind. */
      readonly offers: readonly {
        readonly offer_id: string;
        readonly bolt12: string;
        readonly description?: string;
        readonly node_id: string;
        readonly kind: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Allow or stop notifications on this connection. */
  notifications: {
    params: {
      /** Whether notifications are wanted. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Make an offer for accepting payments. */
  offer: {
    params: {
      /** `any`, an amount of bitcoin, or a number with a currency such as `10.05USD`. */
      amount: number | bigint | string;
      /** What the payment is for. Required with an amount. */
      description?: string;
      /** Who we are. */
      issuer?: string;
      /** A label for ourselves. The offer does not contain it. */
      label?: string;
      /** Most items in one invoice. 0 for any number. */
      quantity_max?: number | bigint | string;
      /** UNIX time after which the offer is no longer valid. */
      absolute_expiry?: number | bigint | string;
      /** How often it is paid, such as `1month`, `2weeks` or `30minutes`. */
      recurrence?: string;
      /** UNIX time at which period 0 starts. */
      recurrence_base?: number | bigint | string;
      /** `-BEFORE+AFTER`, the seconds around a period’s start in which it may be paid. */
      recurrence_paywindow?: string;
      /** Index of the last period. */
      recurrence_limit?: number | bigint | string;
      /** Whether the first payment closes the offer. */
      single_use?: boolean;
      /** Whether a period that has begun costs only the part that is left. */
      proportional_amount?: boolean;
      /** Whether it may also be paid just once. */
      optional_recurrence?: boolean;
      /** Peers through which we can be reached. Each gets one path in the offer. */
      fronting_nodes?: readonly string[];
    };
    result: {
      /** SHA-256 of the offer. */
      readonly offer_id: string;
      /** Whether it can be used. */
      readonly active: boolean;
      /** Whether the first payment closes it. */
      readonly single_use: boolean;
      /** The offer, `lno1…`. */
      readonly bolt12: string;
      /** False. */
      readonly force_paths: boolean;
      /** Whether it has been paid. */
      readonly used: boolean;
      /** The label that was given. */
      readonly label?: string;
      /** False when the offer existed already. */
      readonly created: boolean;
      /** Why requests for it cannot be answered with an invoice. */
      readonly warning_no_payments?: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Pay an invoice. */
  pay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice. The parameter may also be called `bolt11`. */
      invstring: string;
      /** Amount to pay. Only for an invoice without an amount. */
      amount_msat?: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Has no effect. The price of risk follows from the amount. */
      riskfactor?: number;
      /** Most fees, in per cent of the amount. Default 0.5. */
      maxfeepercent?: number;
      /** Seconds during which new attempts begin. One that is under way may take longer. */
      retry_for?: number | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** Fees up to this are allowed whatever maxfeepercent says. Default 5000msat. */
      exemptfee?: number | bigint | string;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** Nodes and channel directions that must not be used. */
      exclude?: readonly string[];
      /** Most fees, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** Description, for an invoice that has only its hash. The two must match. */
      description?: string;
      /** Pay only this much of the invoice. Somebody else pays the rest. */
      partial_msat?: number | bigint | string;
      /** A key of the caller’s choice. A repeated request with the same key gets the outcome of the first one and pays nothing. This holds over a restart too. A request that differs in anything is refused. */
      idempotency_key?: string;
    };
    result: {
      /** Where it went. */
      readonly destination?: string;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** UNIX time of the request. */
      readonly created_at: number;
      /** Attempts that it took. */
      readonly parts: number;
      /** What the recipient received. */
      readonly amount_msat: number | bigint;
      /** What was sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** Some part is still on its way. */
      readonly warning_partial_completion?: string;
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** `complete` */
      readonly status: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show payments with every attempt: route, failure, what was learned. @deprecated */
  paystatus: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only this payment. */
      payment_hash?: string;
      /** First payment to show. */
      start?: number | string;
      /** Show at most this many. */
      limit?: number | string;
    };
    result: {
      /** Objects of label, amount_msat, destination, payment_hash, status, seed, failure and attempts. */
      readonly pay: readonly {
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly amount_msat: number | bigint;
        readonly destination?: string;
        readonly payment_hash: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly seed: number | bigint;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
        };
        readonly attempts: readonly {
          readonly strategy: string;
          readonly start_time: string;
          readonly age_in_seconds: number | bigint;
          readonly end_time?: string;
          readonly state: 'pending' | 'completed';
          readonly success?: {
            readonly id: number | bigint;
            readonly payment_preimage: string;
          };
          readonly failure?: {
            readonly message: string;
            readonly code: number | bigint;
            readonly data: {
              readonly id: number | bigint;
              readonly erring_index?: number;
              readonly failcode?: number;
              readonly failcodename?: string;
              readonly erring_node?: string;
              readonly erring_channel?: string;
              readonly erring_direction?: number;
              readonly raw_message?: string;
            };
          };
          readonly partid: number | bigint;
          readonly amount_msat: number | bigint;
          readonly amount_sent_msat: number | bigint;
          readonly probability_ppm: number;
          readonly route: readonly {
            readonly short_channel_id_dir: string;
            readonly id: string;
            readonly amount_msat: number | bigint;
            readonly delay: number;
          }[];
          readonly learned?: readonly string[];
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `keysend` would do, sending nothing. */
  plankeysend: {
    params: {
      /** Node id the payment goes to. */
      destination: string;
      /** Amount to send. Without suffix in msat; suffixes are msat, sat and btc. */
      amount_msat: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string;
      /** Most fees, in per cent of the amount. Default 0.5. */
      maxfeepercent?: number;
      /** Seconds during which new attempts begin. One that is under way may take longer. */
      retry_for?: number | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** Fees up to this are allowed whatever maxfeepercent says. Default 5000msat. */
      exemptfee?: number | bigint | string;
      /** Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public. */
      routehints?: readonly (readonly Readonly<Record<string, unknown>>[])[];
      /** Further fields for the recipient: TLV type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** Most fees, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** Seed of random choices, to repeat those of a plan. Random by default. */
      seed?: number | bigint | string;
    };
    result: {
      /** Give it to the payment to repeat this plan. */
      readonly seed: number | bigint;
      /** What the recipient would receive, shadow included. */
      readonly amount_msat: number | bigint;
      /** What would be sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** The difference between the two. */
      readonly fee_msat: number | bigint;
      /** What the recipient would receive beyond the amount asked for. */
      readonly shadow_msat: number | bigint;
      /** Blocks by which the route would look longer than it is. */
      readonly shadow_delay: number;
      /** Most blocks that our money would be locked for. */
      readonly delay: number;
      /** Probability that all parts arrive, in parts per million. */
      readonly probability_ppm: number;
      /** Objects of amount_msat, amount_sent_msat, probability_ppm and route, hop by hop. */
      readonly parts: readonly {
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `xpay` would do, sending nothing. */
  planxpay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice, an offer, or a name NAME@DOMAIN that stands for an offer (BIP 353). */
      invstring: string;
      /** Amount to pay. Only when invoice or offer name no amount. */
      amount_msat?: number | bigint | string;
      /** Most fees. By default 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply to the network. They come after those that all payments use. */
      layers?: readonly string[];
      /** Seconds during which new attempts begin. For an offer they begin with the fetch of its invoice. */
      retry_for?: number | string;
      /** Pay only this much of the invoice. Somebody else pays the rest. */
      partial_msat?: number | bigint | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** A note for the issuer of an offer. Its invoice repeats it. */
      payer_note?: string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** Seed of random choices, to repeat those of a plan. Random by default. */
      seed?: number | bigint | string;
    };
    result: {
      /** Give it to the payment to repeat this plan. */
      readonly seed: number | bigint;
      /** What the recipient would receive, shadow included. */
      readonly amount_msat: number | bigint;
      /** What would be sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** The difference between the two. */
      readonly fee_msat: number | bigint;
      /** What the recipient would receive beyond the amount asked for. */
      readonly shadow_msat: number | bigint;
      /** Blocks by which the route would look longer than it is. */
      readonly shadow_delay: number;
      /** Most blocks that our money would be locked for. */
      readonly delay: number;
      /** Probability that all parts arrive, in parts per million. */
      readonly probability_ppm: number;
      /** Objects of amount_msat, amount_sent_msat, probability_ppm and route, hop by hop. */
      readonly parts: readonly {
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Describe all commands as an OpenRPC document. */
  'rpc.discover': {
    params: Record<string, never>;
    result: {
      /** Version of the OpenRPC specification. */
      readonly openrpc: string;
      /** Title and version of this service. */
      readonly info: {
        readonly title: string;
        readonly version: string;
      };
      /** The commands. */
      readonly methods: readonly Readonly<Record<string, unknown>>[];
    };
  };
  /** Change an option while the service runs. */
  setconfig: {
    params: {
      /** Name of the option: `askrene-timeout` or `log-level`. */
      config: string;
      /** The new value. For `askrene-timeout`, the seconds that a route query may take. 0 refuses all queries. For `log-level`, `debug`, `info`, `unusual` or `broken`, of all parts of the service or of one: `info,debug:payments`. */
      val?: string;
      /** Whether the value is forgotten when the service stops. */
      transient?: boolean;
    };
    result: {
      /** config (its name), value_int or value_str, source and dynamic, as in `listconfigs`. */
      readonly config: {
        readonly config: string;
        readonly value_int?: number | bigint;
        readonly value_str?: string;
        readonly values_str?: readonly string[];
        readonly set?: boolean;
        readonly source?: string;
        readonly sources?: readonly string[];
        readonly dynamic?: boolean;
      };
    };
  };
  /** Show the runes that this node made, or one rune. */
  showrunes: {
    params: {
      /** The only rune to show. */
      rune?: string;
    };
    result: {
      /** rune, unique_id, restrictions (each with its alternatives), restrictions_as_english; last_used in seconds when it was used; blacklisted when it is; stored `false` and our_rune `false` when it is not. */
      readonly runes: readonly {
        readonly rune: string;
        readonly unique_id?: string;
        readonly restrictions: readonly {
          readonly alternatives: readonly {
            readonly fieldname: string;
            readonly value: string;
            readonly condition: string;
            readonly english: string;
          }[];
          readonly english: string;
        }[];
        readonly restrictions_as_english: string;
        readonly last_used?: number;
        readonly blacklisted?: boolean;
        readonly stored?: boolean;
        readonly our_rune?: boolean;
      }[];
    };
  };
  /** Let a node of the simulated network issue a BOLT 11 invoice. */
  simulatedinvoice: {
    params: {
      /** The node that is to be paid. */
      id: string;
      /** Amount that it asks for. Without it the payer chooses. */
      amount_msat?: number | bigint | string;
      /** What the payment is for. */
      description?: string;
      /** Seconds for which the invoice is valid. */
      expiry?: number | string;
      /** Blocks that the last HTLC must have left. */
      cltv?: number | string;
      /** Number of route hints. They are channels into the node, the largest first. */
      hints?: number | string;
      /** Whether the invoice has metadata that the payer must send along. */
      metadata?: boolean;
    };
    result: {
      /** The invoice. */
      readonly bolt11: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Stop the service. */
  stop: {
    params: Record<string, never>;
    result: object | string;
  };
  /** Wait until an attempt has arrived or failed. */
  waitsendpay: {
    params: {
      /** Payment hash of the payment. */
      payment_hash: string;
      /** Most seconds to wait. By default until the attempt is over. */
      timeout?: number | string;
      /** Which part. */
      partid?: number | bigint | string;
      /** Which group of parts. By default the latest. */
      groupid?: number | bigint | string;
    };
    result: {
      /** Number of the attempt, counted from the first ever made. */
      readonly created_index: number | bigint;
      /** The same as created_index. */
      readonly id: number | bigint;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** Group of parts. */
      readonly groupid: number | bigint;
      /** Number of its latest change, counted over all attempts. */
      readonly updated_index?: number | bigint;
      /** Which part, unless 0. */
      readonly partid?: number | bigint;
      /** Node id of the destination. */
      readonly destination: string;
      /** What arrived. */
      readonly amount_msat: number | bigint;
      /** What was sent. */
      readonly amount_sent_msat: number | bigint;
      /** UNIX time when it was made. */
      readonly created_at: number | bigint;
      /** UNIX time when it was over. */
      readonly completed_at: number | bigint;
      /** `complete` */
      readonly status: string;
      /** Proof that it arrived. */
      readonly payment_preimage: string;
      /** The label of the payment. */
      readonly label?: string;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Pay a node by its id, in several parts if need be. */
  xkeysend: {
    params: {
      /** Node id the payment goes to. */
      destination: string;
      /** Amount to send. */
      amount_msat: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Most fees. By default 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply to the network. They come after those that all payments use. */
      layers?: readonly string[];
      /** Seconds during which new attempts begin. One that is under way may take longer. */
      retry_for?: number | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** Further fields for the recipient: TLV type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** A key of the caller’s choice. A repeated request with the same key gets the outcome of the first one and pays nothing. This holds over a restart too. A request that differs in anything is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat those of a plan. Random by default. */
      seed?: number | bigint | string;
    };
    result: {
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** What the recipient received. */
      readonly amount_msat: number | bigint;
      /** What was sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** Attempts that failed. */
      readonly failed_parts: number;
      /** Attempts that arrived. */
      readonly successful_parts: number;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
  /** Pay an invoice or an offer. */
  xpay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice, an offer, or a name NAME@DOMAIN that stands for an offer (BIP 353). */
      invstring: string;
      /** Amount to pay. Only when invoice or offer name no amount. */
      amount_msat?: number | bigint | string;
      /** Most fees. By default 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply to the network. They come after those that all payments use. */
      layers?: readonly string[];
      /** Seconds during which new attempts begin. For an offer they begin with the fetch of its invoice. */
      retry_for?: number | string;
      /** Pay only this much of the invoice. Somebody else pays the rest. */
      partial_msat?: number | bigint | string;
      /** Most blocks that the money may be locked for on any route, the blocks that the recipient itself gets included. No more than 2015 are used. */
      maxdelay?: number | string;
      /** A note for the issuer of an offer. Its invoice repeats it. */
      payer_note?: string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** A repeated request with the same key gets the outcome of the first one. It fetches nothing and pays nothing. One that differs is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat those of a plan. Random by default. */
      seed?: number | bigint | string;
    };
    result: {
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** What the recipient received. */
      readonly amount_msat: number | bigint;
      /** What was sent, fees included. */
      readonly amount_sent_msat: number | bigint;
      /** Attempts that failed. */
      readonly failed_parts: number;
      /** Attempts that arrived. */
      readonly successful_parts: number;
      /** `true` on the simulated network, where money is not real. Rows have it too. */
      readonly simulated?: boolean;
    };
  };
}
