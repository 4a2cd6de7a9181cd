/**
 * Examples of calls with real results: made by `npm run examples` from a node on the simulated network, and not by
 * hand. Lists have their first element only, and long texts their beginning.
 */
import type { CommandExample } from '../rpc/command.ts';

/** In the order in which they were asked. */
export const EXAMPLES: readonly (CommandExample & { readonly command: string })[] = [
  {
    command: 'getinfo',
    params: {},
    result: {
      id: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
      alias: 'fulgurite-55f4516d',
      color: '0255f4',
      num_peers: 8,
      num_pending_channels: 0,
      num_active_channels: 8,
      num_inactive_channels: 0,
      address: [],
      binding: [],
      version: '0.2.0',
      blockheight: 500084,
      network: 'bitcoin',
      network_kind: 'simulated',
      fees_collected_msat: 0,
      'lightning-dir': '/home/you/.fulgurite',
      our_features: { init: '8002024100', node: '', channel: '', invoice: '' },
      simulated: true,
    },
  },
  {
    command: 'help',
    params: { command: 'keysend' },
    result: {
      help: [
        {
          command:
            'keysend (DEPRECATED!) destination amount_msat [label] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [routehints] [extratlvs] [maxfee] [idempotency_key] [seed] [nodes] [one_node]',
        },
      ],
      'format-hint': 'simple',
    },
  },
  {
    command: 'listnodes',
    params: {},
    result: {
      nodes: [
        {
          nodeid: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          alias: 'synthetic-0',
          color: 'c581bf',
          last_timestamp: 1770076800,
          features: '80008002024100',
          addresses: [],
        },
      ],
    },
  },
  {
    command: 'listchannels',
    params: {},
    result: {
      channels: [
        {
          source: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          short_channel_id: '500000x277x0',
          direction: 0,
          public: true,
          amount_msat: 14572797000,
          message_flags: 1,
          channel_flags: 0,
          active: true,
          last_update: 1769725692,
          base_fee_millisatoshi: 0,
          fee_per_millionth: 500,
          delay: 100,
          htlc_minimum_msat: 1000,
          htlc_maximum_msat: 14427069030,
          features: '',
        },
      ],
    },
  },
  {
    command: 'listpeerchannels',
    params: {},
    result: {
      channels: [
        {
          peer_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          peer_connected: true,
          reestablished: true,
          channel_type: { bits: [], names: [] },
          updates: {
            local: {
              htlc_minimum_msat: 1,
              htlc_maximum_msat: 19800000000,
              cltv_expiry_delta: 40,
              fee_base_msat: 1000,
              fee_proportional_millionths: 100,
            },
            remote: {
              htlc_minimum_msat: 1,
              htlc_maximum_msat: 19800000000,
              cltv_expiry_delta: 40,
              fee_base_msat: 1000,
              fee_proportional_millionths: 100,
            },
          },
          features: [],
          state: 'CHANNELD_NORMAL',
          scratch_txid: '9110bf7964db171c0e3a07321e659b4bd5197443dcd4b096393a293e269c5653',
          last_tx_fee_msat: 0,
          lost_state: false,
          feerate: { perkw: 253, perkb: 1012 },
          owner: 'simulation',
          short_channel_id: '500084x1x0',
          direction: 0,
          channel_id: '3d174d3bdf53e55c73a502ed983bd61c34570acd5be24b35be1360dc7aefda07',
          funding_txid: '07daef7adc6013be354be25bcd0a57341cd63b98ed02a5735ce553df3b4d173d',
          funding_outnum: 0,
          close_to: '6a0973696d756c61746564',
          private: true,
          opener: 'local',
          alias: { local: '500084x1x0', remote: '500084x1x0' },
          funding: {
            local_funds_msat: 20000000000,
            remote_funds_msat: 0,
            pushed_msat: 5000000000,
            withheld: false,
          },
          to_us_msat: 15000000000,
          min_to_us_msat: 15000000000,
          max_to_us_msat: 15000000000,
          total_msat: 20000000000,
          spendable_msat: 14800000000,
          receivable_msat: 4800000000,
          fee_base_msat: 1000,
          fee_proportional_millionths: 100,
          dust_limit_msat: 0,
          their_max_htlc_value_in_flight_msat: 20000000000,
          our_max_htlc_value_in_flight_msat: 20000000000,
          their_reserve_msat: 200000000,
          our_reserve_msat: 200000000,
          minimum_htlc_in_msat: 1,
          minimum_htlc_out_msat: 1,
          maximum_htlc_out_msat: 19800000000,
          their_to_self_delay: 0,
          our_to_self_delay: 0,
          max_accepted_htlcs: 483,
          state_changes: [
            {
              timestamp: '2026-11-24T03:13:58.434Z',
              old_state: 'CHANNELD_AWAITING_LOCKIN',
              new_state: 'CHANNELD_NORMAL',
              cause: 'user',
              message: 'Opened with the simulated network',
            },
          ],
          status: ['CHANNELD_NORMAL:Channel ready for use.'],
          in_payments_offered: 0,
          in_offered_msat: 0,
          in_payments_fulfilled: 0,
          in_fulfilled_msat: 0,
          out_payments_offered: 0,
          out_offered_msat: 0,
          out_payments_fulfilled: 0,
          out_fulfilled_msat: 0,
          htlcs: [],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listpeers',
    params: {},
    result: {
      peers: [
        {
          id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          connected: true,
          num_channels: 1,
          netaddr: ['[2001:db8:c581:bf31:c4c:97b0:5e5e:6fed]:9735'],
          features: '8002024100',
        },
      ],
    },
  },
  {
    command: 'listfunds',
    params: {},
    result: {
      outputs: [],
      channels: [
        {
          peer_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          connected: true,
          state: 'CHANNELD_NORMAL',
          channel_id: '3d174d3bdf53e55c73a502ed983bd61c34570acd5be24b35be1360dc7aefda07',
          short_channel_id: '500084x1x0',
          our_amount_msat: 15000000000,
          amount_msat: 20000000000,
          funding_txid: '07daef7adc6013be354be25bcd0a57341cd63b98ed02a5735ce553df3b4d173d',
          funding_output: 0,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'connect',
    params: { id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c' },
    result: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      features: '8002024100',
      direction: 'out',
      address: { type: 'ipv6', address: '2001:db8:c581:bf31:c4c:97b0:5e5e:6fed', port: 9735 },
    },
  },
  {
    command: 'disconnect',
    params: { id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c' },
    error: { code: -32005, message: 'connections of this network cannot be closed' },
  },
  {
    command: 'getroutes',
    params: {
      source: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: '5sat',
      final_cltv: 18,
      pareto: true,
    },
    result: {
      probability_ppm: 1000000,
      routes: [
        {
          probability_ppm: 1000000,
          amount_msat: 1000000,
          final_cltv: 18,
          path: [
            {
              short_channel_id_dir: '500084x1x0/0',
              node_id_in: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
              node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_in_msat: 1000000,
              amount_out_msat: 1000000,
              cltv_in: 18,
              cltv_out: 18,
              next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 1000000,
              delay: 18,
            },
          ],
        },
      ],
      front: [
        {
          fee_msat: 0,
          probability_ppm: 1000000,
          routes: [
            {
              probability_ppm: 1000000,
              amount_msat: 1000000,
              final_cltv: 18,
              path: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  node_id_in: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
                  node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_in_msat: 1000000,
                  amount_out_msat: 1000000,
                  cltv_in: 18,
                  cltv_out: 18,
                  next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 18,
                },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    command: 'getroutes-batch',
    params: {
      source: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
      requests: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: '1000sat',
        },
      ],
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: '5sat',
    },
    result: {
      answers: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          probability_ppm: 1000000,
          routes: [
            {
              probability_ppm: 1000000,
              amount_msat: 1000000,
              final_cltv: 18,
              path: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  node_id_in: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
                  node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_in_msat: 1000000,
                  amount_out_msat: 1000000,
                  cltv_in: 18,
                  cltv_out: 18,
                  next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 18,
                },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    command: 'askrene-score',
    params: { path: ['500000x277x0/0'], amount_msat: '1000sat', layers: [] },
    result: {
      probability_ppm: 999931,
      amount_msat: 1000000,
      amount_sent_msat: 1000500,
      fee_msat: 500,
      delay: 118,
      faults: [],
      path: [
        {
          short_channel_id_dir: '500000x277x0/0',
          node_id_in: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_in_msat: 1000500,
          amount_out_msat: 1000000,
          cltv_in: 118,
          cltv_out: 18,
          probability_ppm: 999931,
          enabled: true,
          capacity_msat: 14572797000,
          minimum_msat: 0,
          maximum_msat: 14572797000,
          htlc_minimum_msat: 1000,
          htlc_maximum_msat: 14427069030,
          fee_base_msat: 0,
          fee_proportional_millionths: 500,
          cltv_expiry_delta: 100,
          bias: 0,
        },
      ],
    },
  },
  {
    command: 'askrene-create-layer',
    params: { layer: 'mine' },
    result: {
      layers: [
        {
          layer: 'mine',
          persistent: false,
          disabled_nodes: [],
          created_channels: [],
          channel_updates: [],
          constraints: [],
          impressions: [],
          biases: [],
          node_biases: [],
        },
      ],
    },
  },
  {
    command: 'askrene-create-channel',
    params: {
      layer: 'mine',
      source: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      short_channel_id: '1x2x3',
      capacity_msat: '100000sat',
    },
    result: {},
  },
  {
    command: 'askrene-update-channel',
    params: {
      layer: 'mine',
      short_channel_id_dir: '500000x277x0/0',
      enabled: true,
      htlc_maximum_msat: '50000sat',
    },
    result: {},
  },
  {
    command: 'askrene-inform-channel',
    params: {
      layer: 'mine',
      short_channel_id_dir: '500000x277x0/0',
      amount_msat: '20000sat',
      inform: 'constrained',
    },
    result: {
      constraints: [
        {
          layer: 'mine',
          short_channel_id_dir: '500000x277x0/0',
          timestamp: 1795490038,
          maximum_msat: 19999999,
        },
      ],
      impressions: [],
    },
  },
  {
    command: 'askrene-bias-channel',
    params: { layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5 },
    result: {
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795490038 }],
    },
  },
  {
    command: 'askrene-bias-node',
    params: {
      layer: 'mine',
      node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      direction: 'out',
      bias: 10,
    },
    result: {
      node_biases: [
        {
          layer: 'mine',
          node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          in_bias: 0,
          out_bias: 10,
          timestamp: 1795490038,
        },
      ],
    },
  },
  {
    command: 'askrene-disable-node',
    params: { layer: 'mine', node: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac' },
    result: {},
  },
  {
    command: 'askrene-listlayers',
    params: { layer: 'mine' },
    result: {
      layers: [
        {
          layer: 'mine',
          persistent: false,
          disabled_nodes: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
          created_channels: [
            {
              source: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795490038, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795490038 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795490038,
            },
          ],
        },
      ],
    },
  },
  {
    command: 'listlayers',
    params: {},
    result: {
      layers: [
        {
          layer: 'xpay',
          persistent: true,
          disabled_nodes: 0,
          created_channels: 0,
          channel_updates: 0,
          constraints: 0,
          impressions: 0,
          biases: 0,
          node_biases: 0,
        },
      ],
    },
  },
  {
    command: 'listbeliefs',
    params: { layer: 'mine' },
    result: {
      beliefs: [
        {
          short_channel_id_dir: '500000x277x0/0',
          source: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          capacity_msat: 14572797000,
          minimum_msat: 0,
          maximum_msat: 19999999,
          records: 1,
          timestamp: 1795490038,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      layers: ['auto.localchans'],
      maxfee_msat: '5sat',
      final_cltv: 18,
      with: 'mine',
    },
    result: {
      before: {
        layers: ['auto.localchans'],
        probability_ppm: 1000000,
        fee_msat: 1100,
        routes: [
          {
            probability_ppm: 1000000,
            amount_msat: 1000000,
            final_cltv: 18,
            path: [
              {
                short_channel_id_dir: '500084x1x0/0',
                node_id_in: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
                node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_in_msat: 1001100,
                amount_out_msat: 1000000,
                cltv_in: 58,
                cltv_out: 18,
                next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_msat: 1001100,
                delay: 58,
              },
            ],
          },
        ],
      },
      after: {
        layers: ['auto.localchans'],
        probability_ppm: 1000000,
        fee_msat: 1100,
        routes: [
          {
            probability_ppm: 1000000,
            amount_msat: 1000000,
            final_cltv: 18,
            path: [
              {
                short_channel_id_dir: '500084x1x0/0',
                node_id_in: '0255f4516dab906292ec8ba6110ea55f35e3de97a68b0a5eaf4952e046536dca0c',
                node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_in_msat: 1001100,
                amount_out_msat: 1000000,
                cltv_in: 58,
                cltv_out: 18,
                next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_msat: 1001100,
                delay: 58,
              },
            ],
          },
        ],
      },
      changed: false,
      entries: [
        {
          layer: 'mine',
          kind: 'node_bias',
          node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          in_bias: 0,
          out_bias: 10,
          timestamp: 1795490038,
        },
      ],
      num_entries: 1,
    },
  },
  {
    command: 'askrene-reserve',
    params: { path: [{ short_channel_id_dir: '500000x277x0/0', amount_msat: '1000sat' }] },
    result: {},
  },
  {
    command: 'askrene-listreservations',
    params: {},
    result: {
      reservations: [
        {
          short_channel_id_dir: '500000x277x0/0',
          amount_msat: 1000000,
          age_in_seconds: 0,
          command_id: 'cli:askrene-reserve#28578',
        },
      ],
    },
  },
  {
    command: 'askrene-unreserve',
    params: { path: [{ short_channel_id_dir: '500000x277x0/0', amount_msat: '1000sat' }] },
    result: {},
  },
  {
    command: 'askrene-remove-channel-update',
    params: { layer: 'mine', short_channel_id_dir: '500000x277x0/0' },
    result: {},
  },
  {
    command: 'askrene-age',
    params: { layer: 'mine', cutoff: 1700000000 },
    result: { layer: 'mine', num_removed: 0 },
  },
  { command: 'askrene-remove-layer', params: { layer: 'mine' }, result: {} },
  {
    command: 'plankeysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
    },
    result: {
      seed: 13161605679332320681n,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 42,
      probability_ppm: 980000,
      parts: [
        {
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          probability_ppm: 980000,
          route: [
            {
              short_channel_id_dir: '500084x1x0/0',
              id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 1000000,
              delay: 42,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'keysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      label: 'tea',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
      created_at: 1795490038.68,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: 'b99b4c680ece9f722f1692fbc581ee062937a36e724cb0e3556dc322ca9060ad',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'xkeysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
    },
    result: {
      payment_preimage: 'f3113a097553ac8c3c05fe6c5a5dde2d12be3b9d10c193cea7131f7e387bd3f1',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795490038,
      completed_at: 1795490038,
      status: 'complete',
      payment_preimage: 'b99b4c680ece9f722f1692fbc581ee062937a36e724cb0e3556dc322ca9060ad',
      label: 'tea',
      simulated: true,
    },
  },
  {
    command: 'simulatedinvoice',
    params: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '2000sat',
      description: 'cake',
    },
    result: {
      bolt11:
        'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
    },
    result: {
      seed: 4785763556601219206n,
      amount_msat: 2000000,
      amount_sent_msat: 2000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 18,
      probability_ppm: 990401,
      parts: [
        {
          amount_msat: 2000000,
          amount_sent_msat: 2000000,
          probability_ppm: 990401,
          route: [
            {
              short_channel_id_dir: '500084x1x0/0',
              id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 2000000,
              delay: 18,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
    },
    result: {
      payment_preimage: '216b94fd533fcee18907c020cba0984ada8ef98d4d36ccb98a2cbda954b0604d',
      amount_msat: 2000000,
      amount_sent_msat: 2000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'createproof',
    params: {
      invstring:
        'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
          payment_preimage: '216b94fd533fcee18907c020cba0984ada8ef98d4d36ccb98a2cbda954b0604d',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'checkproof',
    params: {
      proof:
        'lnbc20u1p4s2q8hsp5qqqqqqqqqq0gfqrtq58swqqjqmukfv2c43netrhh6u97wxp2zutspp53ynutd5r365hd680xxqyc9yt32tueujqzuw5legn36sp4xn4r70qdq8vdskkegxqrrsscqpj9qyysgqzeseutdwr2nkc5uawx266q0qatquhelptqaqv25wlr53lpp58j25l9k9aecqx8j7matg8prj97aych97w7qy54vuy53f7pajk778eksqh2npr8',
      payment_preimage: '216b94fd533fcee18907c020cba0984ada8ef98d4d36ccb98a2cbda954b0604d',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '8927c5b6838ea976e8ef31804c148b8a97ccf240171d4fe5138ea01a9a751f9e',
      payment_preimage: '216b94fd533fcee18907c020cba0984ada8ef98d4d36ccb98a2cbda954b0604d',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795490039,
    },
  },
  {
    command: 'simulatedinvoice',
    params: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '3000sat',
    },
    result: {
      bolt11:
        'lnbc30u1p4s2q8hsp5qqqqqqqqqqkudsrtq58swqqjf55vffamfmkncg2rz0dykz04cvxspp58s70rndqdvxugtjzd3cya3gt3ttrw6gtshfrqtz3f8e5fsel5gqqdqqxqrrsscqpj9qyysgqtec9hvsm00lmmlwyurq3wak42n64zld23h3ktma7cl6xp4rv06j9q2nf2knv0929ph332ufhselq4am5puzqqmxgff2ze4z8fkqp26sprr7c0v',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s2q8hsp5qqqqqqqqqqkudsrtq58swqqjf55vffamfmkncg2rz0dykz04cvxspp58s70rndqdvxugtjzd3cya3gt3ttrw6gtshfrqtz3f8e5fsel5gqqdqqxqrrsscqpj9qyysgqtec9hvsm00lmmlwyurq3wak42n64zld23h3ktma7cl6xp4rv06j9q2nf2knv0929ph332ufhselq4am5puzqqmxgff2ze4z8fkqp26sprr7c0v',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '3c3cf1cda06b0dc42e426c704ec50b8ad637690b85d2302c5149f344c33fa200',
      created_at: 1795490039.185,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: 'cadc532d54e112369f22411907ef19b14872da5d991f2dc0ef26f258a7c2d6a0',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          status: 'complete',
          created_at: 1795490038,
          completed_at: 1795490038,
          label: 'tea',
          preimage: 'b99b4c680ece9f722f1692fbc581ee062937a36e724cb0e3556dc322ca9060ad',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_index: 1,
          updated_index: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listsendpays',
    params: { payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795490038,
          completed_at: 1795490038,
          status: 'complete',
          payment_preimage: 'b99b4c680ece9f722f1692fbc581ee062937a36e724cb0e3556dc322ca9060ad',
          label: 'tea',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listpayments',
    params: { start: 1, limit: 1 },
    result: {
      payments: [
        {
          id: 'e114052af62ca42c9c173a16b32aa917',
          created_index: 2,
          command: 'keysend',
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795490038.68,
          completed_at: 1795490038.845,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3' },
    result: {
      payments: [
        {
          id: 'e114052af62ca42c9c173a16b32aa917',
          created_index: 2,
          command: 'keysend',
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795490038.68,
          completed_at: 1795490038.845,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 9406234134905451904n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795490038.682,
              completed_at: 1795490038.844,
              route: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 42,
                },
              ],
              expiry_height: 500127,
              learned: [],
            },
          ],
          simulated: true,
        },
      ],
      blockheight: 500084,
      simulated: true,
    },
  },
  {
    command: 'paystatus',
    params: {
      bolt11:
        'lnbc30u1p4s2q8hsp5qqqqqqqqqqkudsrtq58swqqjf55vffamfmkncg2rz0dykz04cvxspp58s70rndqdvxugtjzd3cya3gt3ttrw6gtshfrqtz3f8e5fsel5gqqdqqxqrrsscqpj9qyysgqtec9hvsm00lmmlwyurq3wak42n64zld23h3ktma7cl6xp4rv06j9q2nf2knv0929ph332ufhselq4am5puzqqmxgff2ze4z8fkqp26sprr7c0v',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s2q8hsp5qqqqqqqqqqkudsrtq58swqqjf55vffamfmkncg2rz0dykz04cvxspp58s70rndqdvxugtjzd3cya3gt3ttrw6gtshfrqtz3f8e5fsel5gqqdqqxqrrsscqpj9qyysgqtec9hvsm00lmmlwyurq3wak42n64zld23h3ktma7cl6xp4rv06j9q2nf2knv0929ph332ufhselq4am5puzqqmxgff2ze4z8fkqp26sprr7c0v',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '3c3cf1cda06b0dc42e426c704ec50b8ad637690b85d2302c5149f344c33fa200',
          status: 'complete',
          seed: 16994923101028010692n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-24T03:13:59.187Z',
              age_in_seconds: 0,
              end_time: '2026-11-24T03:13:59.341Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: 'cadc532d54e112369f22411907ef19b14872da5d991f2dc0ef26f258a7c2d6a0',
              },
              partid: 1,
              amount_msat: 3000000,
              amount_sent_msat: 3000000,
              probability_ppm: 992384,
              route: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 3000000,
                  delay: 18,
                },
              ],
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listlearned',
    params: {},
    result: {
      enabled: true,
      attempts: 4,
      away_ppm: 19608,
      correction: { slope: 1.0070331846548586, offset: 0.0016398247238738942 },
      priors: [{ prior: 'uniform', stale_ppm: 0, weight_ppm: 33333, simulated: true }],
      nodes: [
        {
          node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          away_ppm: 6536,
          seen_at: 1795490039,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'ledger',
    params: { limit: 1 },
    result: {
      movements: [
        {
          index: 1,
          time: 1795490038.844,
          kind: 'payment',
          payment_id: 'e114052af62ca42c9c173a16b32aa917',
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          partid: 0,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          label: 'tea',
          amount_msat: 1000000,
          fee_msat: 0,
          entries: [{ account: 'channels', credit_msat: 1000000 }],
          simulated: true,
        },
      ],
      paid_msat: 1000000,
      fees_msat: 0,
      in_flight_msat: 0,
      balance_change_msat: -1000000,
      next_start: 2,
      simulated: true,
    },
  },
  {
    command: 'reconcile',
    params: { csv: 'key,amount_msat\nunknown,1000\n' },
    result: {
      complete: { count: 4, amount_msat: 7000000, amount_sent_msat: 7000000 },
      failed: { count: 0, amount_msat: 0, amount_sent_msat: 0 },
      pending: { count: 0, amount_msat: 0, amount_sent_msat: 0 },
      node_htlcs: 4,
      not_judged: 0,
      unexplained_msat: 0,
      list_unexplained_msat: 1000,
      difference_count: 1,
      differences: [{ kind: 'missing_payment', key: 'unknown', list_msat: 1000, simulated: true }],
      open: [],
      simulated: true,
    },
  },
  {
    command: 'listodds',
    params: {},
    result: {
      odds: [
        {
          id: 1,
          created_at: 1795490038.682,
          amount_msat: 1000000,
          probability_ppm: 980000,
          hops: 1,
          arrived: true,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'delpay',
    params: {
      payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '3160deab5070251a2c3cc3c07e5fe8386a26b8fcffd04cbae173b36150b535a3',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795490038,
          completed_at: 1795490038,
          status: 'complete',
          payment_preimage: 'b99b4c680ece9f722f1692fbc581ee062937a36e724cb0e3556dc322ca9060ad',
          label: 'tea',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'offer',
    params: { amount: '10sat', description: 'coffee', label: 'morning' },
    result: {
      offer_id: 'd462a32e3d0a94d9d38f0b86764b5a3de00f10789faf0ab677f0f93f8daca77c',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxm9fvzvdpmr6yhd3frqx5x77pcj2qk7gxntennqr5f6mwsxxwcq6qgpuntc2w2z2m2dkp3vt9yrg6n9t48ewc6tmy4usr8qxgjw73d2z4xsqxvk8eujmd7pex796qwa4ftd8w9cr9cpkgh99s726x3jvr4yh5jnuvkdc7ad708q3fueh7merausewsy0plqsxm9n4xdk9snjepgj506jsz4t3trhhvhnv84twjlcw73unksrp4y9qqe9yxe87p4n2j9zzhrj8u4uylnmsegukgkw0u06tasgxjw62yspazxpn35rd4y8als9p29ad8q96mx3fuspvggz2h69zmdtjp3f9myt5cgsaf2lxh3aa9ax3v99at6f2tsyv5mdegxq',
      force_paths: false,
      used: false,
      label: 'morning',
      created: true,
      warning_no_payments:
        'This network cannot deliver payments to us: invoice requests for the offer are answered with this error.',
      simulated: true,
    },
  },
  {
    command: 'listoffers',
    params: {},
    result: {
      offers: [
        {
          offer_id: 'd462a32e3d0a94d9d38f0b86764b5a3de00f10789faf0ab677f0f93f8daca77c',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxm9fvzvdpmr6yhd3frqx5x77pcj2qk7gxntennqr5f6mwsxxwcq6qgpuntc2w2z2m2dkp3vt9yrg6n9t48ewc6tmy4usr8qxgjw73d2z4xsqxvk8eujmd7pex796qwa4ftd8w9cr9cpkgh99s726x3jvr4yh5jnuvkdc7ad708q3fueh7merausewsy0plqsxm9n4xdk9snjepgj506jsz4t3trhhvhnv84twjlcw73unksrp4y9qqe9yxe87p4n2j9zzhrj8u4uylnmsegukgkw0u06tasgxjw62yspazxpn35rd4y8als9p29ad8q96mx3fuspvggz2h69zmdtjp3f9myt5cgsaf2lxh3aa9ax3v99at6f2tsyv5mdegxq',
          force_paths: false,
          used: false,
          label: 'morning',
          description: 'coffee',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'disableoffer',
    params: { offer_id: 'd462a32e3d0a94d9d38f0b86764b5a3de00f10789faf0ab677f0f93f8daca77c' },
    result: {
      offer_id: 'd462a32e3d0a94d9d38f0b86764b5a3de00f10789faf0ab677f0f93f8daca77c',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxm9fvzvdpmr6yhd3frqx5x77pcj2qk7gxntennqr5f6mwsxxwcq6qgpuntc2w2z2m2dkp3vt9yrg6n9t48ewc6tmy4usr8qxgjw73d2z4xsqxvk8eujmd7pex796qwa4ftd8w9cr9cpkgh99s726x3jvr4yh5jnuvkdc7ad708q3fueh7merausewsy0plqsxm9n4xdk9snjepgj506jsz4t3trhhvhnv84twjlcw73unksrp4y9qqe9yxe87p4n2j9zzhrj8u4uylnmsegukgkw0u06tasgxjw62yspazxpn35rd4y8als9p29ad8q96mx3fuspvggz2h69zmdtjp3f9myt5cgsaf2lxh3aa9ax3v99at6f2tsyv5mdegxq',
      force_paths: false,
      used: false,
      label: 'morning',
      description: 'coffee',
      simulated: true,
    },
  },
  {
    command: 'invoicerequest',
    params: { amount: '5sat', description: 'refund', label: 'back' },
    result: {
      invreq_id: 'b8ab91641b390060f0d172b192b1bc87de77ee0f3facba06b1da2171c21fc1c3',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqgr8tpz7nuc53xqkf4jafm94qneyzsxwfjkvatwv3fqyyugtqssy40529k6hyrzjtkghfs3p6j47d0rm6t6dzc2t6h5j5hqgefkmjsvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqf4gvazujpjutwdppzhg0f5aa7zu7t7nzfh3zgwz9pah6a47dp06yqsrewssj8m4sff0v9zjpkkt3ptvgglu08tcpk35s5j0j5en3g42gaxqqvl75tghkv72eng94ezk50w336kwc4pvy9zhjpuq4u60ay2g4xxmgtyjdjulxj6x9cd45mak6f2msdvy58hwqflw6z5v983fnj0au5lfg4wheqru2tlydpwxjk9cwh7vu0kknm8h6qpj6ugaa2n52jzlg8zaqfld05x2m3aq5yncv9uagsnzfzng8nhh05ffnn57tk0uc5gv86wcryeztwdfqm897pqrn2kcj9s9uv6krm0py3w5vr0hd4htepdd7cvdcv6pjg8q599y5xffk2frayvgtuzp80uhdtd6pvtdz3q9w7wj3dr3m0uags56nln73u',
      used: false,
      label: 'back',
      simulated: true,
    },
  },
  {
    command: 'listinvoicerequests',
    params: {},
    result: {
      invoicerequests: [
        {
          invreq_id: 'b8ab91641b390060f0d172b192b1bc87de77ee0f3facba06b1da2171c21fc1c3',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqgr8tpz7nuc53xqkf4jafm94qneyzsxwfjkvatwv3fqyyugtqssy40529k6hyrzjtkghfs3p6j47d0rm6t6dzc2t6h5j5hqgefkmjsvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqf4gvazujpjutwdppzhg0f5aa7zu7t7nzfh3zgwz9pah6a47dp06yqsrewssj8m4sff0v9zjpkkt3ptvgglu08tcpk35s5j0j5en3g42gaxqqvl75tghkv72eng94ezk50w336kwc4pvy9zhjpuq4u60ay2g4xxmgtyjdjulxj6x9cd45mak6f2msdvy58hwqflw6z5v983fnj0au5lfg4wheqru2tlydpwxjk9cwh7vu0kknm8h6qpj6ugaa2n52jzlg8zaqfld05x2m3aq5yncv9uagsnzfzng8nhh05ffnn57tk0uc5gv86wcryeztwdfqm897pqrn2kcj9s9uv6krm0py3w5vr0hd4htepdd7cvdcv6pjg8q599y5xffk2frayvgtuzp80uhdtd6pvtdz3q9w7wj3dr3m0uags56nln73u',
          used: false,
          label: 'back',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'disableinvoicerequest',
    params: { invreq_id: 'b8ab91641b390060f0d172b192b1bc87de77ee0f3facba06b1da2171c21fc1c3' },
    result: {
      invreq_id: 'b8ab91641b390060f0d172b192b1bc87de77ee0f3facba06b1da2171c21fc1c3',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqgr8tpz7nuc53xqkf4jafm94qneyzsxwfjkvatwv3fqyyugtqssy40529k6hyrzjtkghfs3p6j47d0rm6t6dzc2t6h5j5hqgefkmjsvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqf4gvazujpjutwdppzhg0f5aa7zu7t7nzfh3zgwz9pah6a47dp06yqsrewssj8m4sff0v9zjpkkt3ptvgglu08tcpk35s5j0j5en3g42gaxqqvl75tghkv72eng94ezk50w336kwc4pvy9zhjpuq4u60ay2g4xxmgtyjdjulxj6x9cd45mak6f2msdvy58hwqflw6z5v983fnj0au5lfg4wheqru2tlydpwxjk9cwh7vu0kknm8h6qpj6ugaa2n52jzlg8zaqfld05x2m3aq5yncv9uagsnzfzng8nhh05ffnn57tk0uc5gv86wcryeztwdfqm897pqrn2kcj9s9uv6krm0py3w5vr0hd4htepdd7cvdcv6pjg8q599y5xffk2frayvgtuzp80uhdtd6pvtdz3q9w7wj3dr3m0uags56nln73u',
      used: false,
      label: 'back',
      simulated: true,
    },
  },
  { command: 'listinvoices', params: {}, result: { invoices: [], simulated: true } },
  {
    command: 'listsimulatedoffers',
    params: {},
    result: {
      offers: [
        {
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          description: 'coffee',
          node_id: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
          kind: 'fixed',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'decode',
    params: {
      string:
        'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
    },
    result: {
      type: 'bolt12 offer',
      offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
      offer_amount_msat: 10000,
      offer_description: 'coffee',
      offer_issuer: 'corner café',
      offer_issuer_id: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
      valid: true,
    },
  },
  {
    command: 'fetchinvoice',
    params: {
      offer:
        'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
    },
    result: {
      invoice:
        'lni1qqg0cg2sjan5t0edwp9c4xwz9fr0qzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypz3qw6fn36degx9kvsztr7xjjayxhdxyf0fns2vez73fph56zln2dql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpt3l6trdu0n3chy052kmmrhmuu025nyeflx6fsrjsk65sn4lknhasr…',
      changes: {},
      simulated: true,
    },
  },
  {
    command: 'fetchinvoice',
    params: {
      offer:
        'lno1pqpq86q2pdmk2ettd3ujqmn9wae3vggrpa68rr4et8ccxw2jwjk5xlzdg362jjlevdfmphlrkqcxd43z48nluwu6egvqyqg8',
      recurrence_counter: 0,
      recurrence_label: 'weekly',
    },
    result: {
      invoice:
        'lni1qqsr2qzp0zhtxqlhqlewdy4dktntaqkcs0qxw29cce3zdtwkwljggwcgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq7499x8vv5td586p50acp09c8egpuzqqvv308llt27c4h3za3uekjs06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zq3mzcj6nvdnww8gzndtaynm3r3t9zzux30tnhzslgxz…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796094839,
          endtime: 1796699638,
          paywindow_start: 1795490039,
          paywindow_end: 1796699638,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796094839,
        endtime: 1796699638,
        paywindow_start: 1795490039,
        paywindow_end: 1796699638,
      },
      simulated: true,
    },
  },
  {
    command: 'cancelrecurringinvoice',
    params: {
      offer:
        'lno1pqpq86q2pdmk2ettd3ujqmn9wae3vggrpa68rr4et8ccxw2jwjk5xlzdg362jjlevdfmphlrkqcxd43z48nluwu6egvqyqg8',
      recurrence_counter: 1,
      recurrence_label: 'weekly',
    },
    result: {
      bolt12:
        'lnr1qqsr2qzp0zhtxqlhqlewdy4dktntaqkcs0qxw29cce3zdtwkwljggwcgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq7499x8vv5td586p50acp09c8egpuzqqvv308llt27c4h3za3uekncyptf70ysa7nmrtlz50kwfuyhd458ylu3qup74prm8x9drqf7ws6y3aj0xj3fr3mg68tfjmjk6ma798z6q4auhssn37z0reluftmhjt6lluwu6egvqyqg8lemnt9zuqyqluae4j30qq',
      simulated: true,
    },
  },
  {
    command: 'listfetches',
    params: {},
    result: {
      fetches: [
        {
          number: 1,
          status: 'complete',
          created_at: 1795490039.386,
          took_ms: 134,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 0,
              took_ms: 133,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqg0cg2sjan5t0edwp9c4xwz9fr0qzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypz3qw6fn36degx9kvsztr7xjjayxhdxyf0fns2vez73fph56zln2dql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpt3l6trdu0n3chy052kmmrhmuu025nyeflx6fsrjsk65sn4lknhasr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795490039,
            expires_at: 1795497239,
          },
          changes: {},
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'check',
    params: {
      command_to_check: 'keysend',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000,
    },
    result: { command_to_check: 'keysend' },
  },
  {
    command: 'createrune',
    params: { restrictions: [['method=keysend', 'method^list'], ['rate=60']] },
    result: {
      rune: 'ytERI_jW8Wx51pVeWWN1oEYRGYxgpYRCfwac0nr709s9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'ytERI_jW8Wx51pVeWWN1oEYRGYxgpYRCfwac0nr709s9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'ytERI_jW8Wx51pVeWWN1oEYRGYxgpYRCfwac0nr709s9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'ytERI_jW8Wx51pVeWWN1oEYRGYxgpYRCfwac0nr709s9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795490039.931,
          unique_id: '0',
          restrictions: [
            {
              alternatives: [
                { fieldname: 'method', value: 'keysend', condition: '=', english: 'method equal to keysend' },
              ],
              english: 'method equal to keysend OR method starts with list',
            },
          ],
          restrictions_as_english: 'method equal to keysend OR method starts with list AND rate equal to 60',
        },
      ],
    },
  },
  {
    command: 'invokerune',
    params: { restrictions: 'readonly' },
    result: {
      rune: 'S1VaKgYVZt41Qv4pThAlYwVagzGnD-As1PzTrslk5wo9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
      unique_id: '1',
    },
  },
  { command: 'blacklistrune', params: { start: 0 }, result: { blacklist: [{ start: 0, end: 0 }] } },
  { command: 'destroyrune', params: { start: 1, end: 5 }, result: { blacklist: [{ start: 0, end: 5 }] } },
  {
    command: 'listconfigs',
    params: { config: 'askrene-timeout' },
    result: { configs: { 'askrene-timeout': { value_int: 10, source: 'default', dynamic: true } } },
  },
  {
    command: 'setconfig',
    params: { config: 'askrene-timeout', val: '15', transient: true },
    result: { config: { config: 'askrene-timeout', value_int: 15, source: 'setconfig', dynamic: true } },
  },
  {
    command: 'getlog',
    params: { level: 'info' },
    result: { created_at: '1795490038.158000000', bytes_used: 0, bytes_max: 1000000, log: [] },
  },
  {
    command: 'getmetrics',
    params: {},
    result: {
      content_type: 'text/plain; version=0.0.4; charset=utf-8',
      metrics:
        '# HELP fulgurite_rpc_requests_total Answered requests.\n# TYPE fulgurite_rpc_requests_total counter\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="ok"} 1\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="error"} 0\nfulgurite_rpc_requests_total…',
    },
  },
  {
    command: 'explorer',
    params: {},
    result: {
      url: 'http://127.0.0.1:38749/ui/#code=Cv0Q5VWbJ3dMZNztU3i8Iw',
      unique_id: '2',
      valid_until: 1798082039,
      link_valid_until: 1795490099,
    },
  },
  { command: 'notifications', params: { enable: true }, result: {} },
  { command: 'batching', params: { enable: false }, result: {} },
  { command: 'deprecations', params: { enable: true }, result: {} },
  {
    command: 'rpc.discover',
    params: {},
    result: {
      openrpc: '1.3.2',
      info: { title: 'Fulgurite', version: '0.2.0' },
      methods: [
        {
          name: 'askrene-age',
          summary: 'Remove old constraints, impressions and biases from a layer.',
          description:
            'Removes entries made before the cutoff. Created channels, updates and disabled nodes have no age and are kept. The age of a node bias is that of its most recently changed direction.',
          tags: [{ name: 'routes' }],
          paramStructure: 'either',
          params: [
            {
              name: 'layer',
              description: 'Name of the layer.',
              required: true,
              schema: { title: 'layer', type: 'string' },
            },
          ],
          result: {
            name: 'result',
            schema: {
              type: 'object',
              properties: {
                layer: { title: 'string', type: 'string', description: 'Name of the layer.' },
                num_removed: {
                  title: 'u64',
                  type: 'integer',
                  minimum: 0,
                  description: 'Number of entries removed.',
                },
              },
              required: ['layer'],
            },
          },
          errors: [
            {
              code: -32003,
              message: 'A change could not be written to disk.',
              data: {
                name: 'storeFailed',
                remedy:
                  'Free disk space or repair the disk; pending changes are written with the next change.',
                retryable: false,
                http_status: 500,
              },
            },
          ],
          examples: [
            {
              name: 'askrene-age',
              params: [{ name: 'layer', value: 'mine' }],
              result: { name: 'result', value: { layer: 'mine', num_removed: 0 } },
            },
          ],
        },
      ],
    },
  },
  {
    command: 'backup',
    params: { destination: '/home/you/.fulgurite/backup' },
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 208896 },
  },
  { command: 'stop', params: {}, result: 'Shutdown complete' },
  {
    command: 'listournodes',
    params: {},
    result: {
      nodes: [
        {
          name: 'a',
          id: '036ad76a7bb5cffe7f3d10258ad914a55aa83bca3e8ef19441e99085274d81d3d1',
          kind: 'simulated',
          state: 'on',
          height: 500084,
          channels: 8,
          spendable_msat: 118400000000,
          may_spend_msat: 118400000000,
          receivable_msat: 38400000000,
          htlcs: 0,
          in_flight_msat: 0,
          floor_msat: 0,
          price_ppm: 0,
          last_hour: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
          last_day: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
        },
      ],
    },
  },
  {
    command: 'setournode',
    params: { node: 'b', floor: '1000000sat', price: 100 },
    result: {
      node: {
        name: 'b',
        id: '02fb71517c3845dd429c71022dd390cd4ce65bccde523d4e445ae76826efce4b3d',
        kind: 'simulated',
        state: 'on',
        height: 500084,
        channels: 8,
        spendable_msat: 118400000000,
        may_spend_msat: 117400000000,
        receivable_msat: 38400000000,
        htlcs: 0,
        in_flight_msat: 0,
        floor_msat: 1000000000,
        price_ppm: 100,
        last_hour: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
        last_day: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
      },
    },
  },
  {
    command: 'plantransfer',
    params: { from: 'a', to: 'b', amount_msat: '20000sat' },
    result: {
      seed: 15472245931079936265n,
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      fee_msat: 3020,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 158,
      probability_ppm: 738300,
      parts: [
        {
          node: 'a',
          amount_msat: 20000000,
          amount_sent_msat: 20003020,
          probability_ppm: 738300,
          route: [
            {
              short_channel_id_dir: '500084x3x0/1',
              id: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
              amount_msat: 20003020,
              delay: 158,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'transfer',
    params: { from: 'a', to: 'b', amount_msat: '20000sat' },
    result: {
      payment_preimage: '43b68ff45380de9eb4c75232cca5d677121fce6a863ee6a370eb78cf613263e8',
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
];
