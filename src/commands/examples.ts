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
      id: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
      alias: 'fulgurite-cece207e',
      color: '02cece',
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
            'keysend (DEPRECATED!) destination amount_msat [label] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [routehints] [extratlvs] [maxfee] [idempotency_key] [seed]',
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
              timestamp: '2026-11-22T12:33:16.338Z',
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
      source: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
              node_id_in: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
                  node_id_in: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
      source: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
                  node_id_in: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
      source: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
          timestamp: 1795350800,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795350800 }],
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
          timestamp: 1795350800,
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
              source: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795350800, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795350800 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795350800,
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
          timestamp: 1795350800,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
                node_id_in: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
                node_id_in: '02cece207e0ab9d69f008fac3d70ddcbcca57ce25473b4d6f1d48a8ca13aab4fec',
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
          timestamp: 1795350800,
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
          command_id: 'cli:askrene-reserve#14772',
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
      seed: 11184506058259770731n,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 42,
      probability_ppm: 1000000,
      parts: [
        {
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          probability_ppm: 1000000,
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
      payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
      created_at: 1795350800.495,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: 'f639e59a8f1c9673633c3aada2e9509bd91d1a62a5270b94488464be326ec821',
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
      payment_preimage: '8882d92454e2def8faa3ac9aab9505d168c2129f7eccf25fe2fac1e4cd88a57b',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795350800,
      completed_at: 1795350800,
      status: 'complete',
      payment_preimage: 'f639e59a8f1c9673633c3aada2e9509bd91d1a62a5270b94488464be326ec821',
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
        'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
    },
    result: {
      seed: 15615560313685468182n,
      amount_msat: 2000000,
      amount_sent_msat: 2000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 18,
      probability_ppm: 1000000,
      parts: [
        {
          amount_msat: 2000000,
          amount_sent_msat: 2000000,
          probability_ppm: 1000000,
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
        'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
    },
    result: {
      payment_preimage: '08da860e7d2b527ac563e3d08da0b204f95a1684a8393a591bdf536c68a42a16',
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
        'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
          payment_preimage: '08da860e7d2b527ac563e3d08da0b204f95a1684a8393a591bdf536c68a42a16',
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
        'lnbc20u1p4s9cg3sp5qqqqqqqqqq0gfqrtqthjzqqjw30ta6xwc5qpern0cera6um24g7qpp5rt2ffj93aukz53ds64xd5vnfv3j4ll7wr7930mkd9gjp2fj5zqrsdq8vdskkegxqrrsscqpj9qyysgq3jqgq7vsr8g23v7zvf4agr8pzwwkgwudp24nfku98hlcs4hw34dhv55x6pd5sxk4jg4n904zuqzy7dvanu9gfdekdaat7atuuetwamcpzvpgre',
      payment_preimage: '08da860e7d2b527ac563e3d08da0b204f95a1684a8393a591bdf536c68a42a16',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '1ad494c8b1ef2c2a45b0d54cda326964655fffce1f8b17eecd2a241526541007',
      payment_preimage: '08da860e7d2b527ac563e3d08da0b204f95a1684a8393a591bdf536c68a42a16',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795350801,
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
        'lnbc30u1p4s9cg3sp5qqqqqqqqqqkudsrtqthjzqqj90ynfcx6fqcqmm65qqj3n6yjxjrqpp5vatflzl6d3h3jl3gvwms6sew7gzka86qkfqgar27lsy8uecsa6vsdqqxqrrsscqpj9qyysgqk4q0umyx5akcxsavn9pw3d692dd7vggqv8cpnsk27s9flptvj7yj5le94kzq7zxnzaayg94mjqxauz23e90500a75ts03sc854eg46sqvcjpxs',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s9cg3sp5qqqqqqqqqqkudsrtqthjzqqj90ynfcx6fqcqmm65qqj3n6yjxjrqpp5vatflzl6d3h3jl3gvwms6sew7gzka86qkfqgar27lsy8uecsa6vsdqqxqrrsscqpj9qyysgqk4q0umyx5akcxsavn9pw3d692dd7vggqv8cpnsk27s9flptvj7yj5le94kzq7zxnzaayg94mjqxauz23e90500a75ts03sc854eg46sqvcjpxs',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '67569f8bfa6c6f197e2863b70d432ef2056e9f40b2408e8d5efc087e6710ee99',
      created_at: 1795350801.328,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: 'b162d9293bc62d1e226f158cc73a482c231b8bad3004e2efb78cc2ee7c7320f2',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
          status: 'complete',
          created_at: 1795350800,
          completed_at: 1795350800,
          label: 'tea',
          preimage: 'f639e59a8f1c9673633c3aada2e9509bd91d1a62a5270b94488464be326ec821',
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
    params: { payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795350800,
          completed_at: 1795350800,
          status: 'complete',
          payment_preimage: 'f639e59a8f1c9673633c3aada2e9509bd91d1a62a5270b94488464be326ec821',
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
          id: '76c481fd89681184c45712527e05ce76',
          created_index: 1,
          command: 'keysend',
          payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795350800.25,
          completed_at: 1795350800.75,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d' },
    result: {
      payments: [
        {
          id: '76c481fd89681184c45712527e05ce76',
          created_index: 2,
          command: 'keysend',
          payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795350800.495,
          completed_at: 1795350800.8,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 7659826096697398673n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 1000000,
              created_at: 1795350800.514,
              completed_at: 1795350800.795,
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
        'lnbc30u1p4s9cg3sp5qqqqqqqqqqkudsrtqthjzqqj90ynfcx6fqcqmm65qqj3n6yjxjrqpp5vatflzl6d3h3jl3gvwms6sew7gzka86qkfqgar27lsy8uecsa6vsdqqxqrrsscqpj9qyysgqk4q0umyx5akcxsavn9pw3d692dd7vggqv8cpnsk27s9flptvj7yj5le94kzq7zxnzaayg94mjqxauz23e90500a75ts03sc854eg46sqvcjpxs',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s9cg3sp5qqqqqqqqqqkudsrtqthjzqqj90ynfcx6fqcqmm65qqj3n6yjxjrqpp5vatflzl6d3h3jl3gvwms6sew7gzka86qkfqgar27lsy8uecsa6vsdqqxqrrsscqpj9qyysgqk4q0umyx5akcxsavn9pw3d692dd7vggqv8cpnsk27s9flptvj7yj5le94kzq7zxnzaayg94mjqxauz23e90500a75ts03sc854eg46sqvcjpxs',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '67569f8bfa6c6f197e2863b70d432ef2056e9f40b2408e8d5efc087e6710ee99',
          status: 'complete',
          seed: 13645747812385569425n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-22T12:33:21.333Z',
              age_in_seconds: 0,
              end_time: '2026-11-22T12:33:21.506Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: 'b162d9293bc62d1e226f158cc73a482c231b8bad3004e2efb78cc2ee7c7320f2',
              },
              partid: 1,
              amount_msat: 3000000,
              amount_sent_msat: 3000000,
              probability_ppm: 1000000,
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
    command: 'listodds',
    params: {},
    result: {
      odds: [
        {
          id: 1,
          created_at: 1795350800.514,
          amount_msat: 1000000,
          probability_ppm: 1000000,
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
      payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '8879eb3c067c0a9d174170073d6ed0acb81e00fbc10026bb64d832967ab4e45d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795350800,
          completed_at: 1795350800,
          status: 'complete',
          payment_preimage: 'f639e59a8f1c9673633c3aada2e9509bd91d1a62a5270b94488464be326ec821',
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
      offer_id: 'b646a5bdd626a9078cc415aa193985491bf0b7b78b6c3c88fb21565d419b9025',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq89mq5sznpehmxlh3regkg3wlsa5fz9t88huwffyu85acc4uhhee8qgph22tja0ztrstdckuwzxd4dhn5qyzyw7q58a2cn5h8jjekl5ml6kqqxwwk9cxqvlxj9k04svmf5xff9faej8dctjps2euwwy82ukwgu46qxuxdf0qr66gu9nn22d52hwapwumfuq8qxmtv548pq3a979fk928z9chsle0mr4xtltdhc66wzugrmtmq742cqqetsf22l2vl65mcp35q3m9uc8r6xhgcfvu0nha8pqemyrj7pk4kqnr7576fgl6awyunc0hty7sjvexxt3z3vggzem8zqls2h8tf7qy04s7hphwtejjhecj5ww6dduw532x2zw4tflkq',
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
          offer_id: 'b646a5bdd626a9078cc415aa193985491bf0b7b78b6c3c88fb21565d419b9025',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq89mq5sznpehmxlh3regkg3wlsa5fz9t88huwffyu85acc4uhhee8qgph22tja0ztrstdckuwzxd4dhn5qyzyw7q58a2cn5h8jjekl5ml6kqqxwwk9cxqvlxj9k04svmf5xff9faej8dctjps2euwwy82ukwgu46qxuxdf0qr66gu9nn22d52hwapwumfuq8qxmtv548pq3a979fk928z9chsle0mr4xtltdhc66wzugrmtmq742cqqetsf22l2vl65mcp35q3m9uc8r6xhgcfvu0nha8pqemyrj7pk4kqnr7576fgl6awyunc0hty7sjvexxt3z3vggzem8zqls2h8tf7qy04s7hphwtejjhecj5ww6dduw532x2zw4tflkq',
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
    params: { offer_id: 'b646a5bdd626a9078cc415aa193985491bf0b7b78b6c3c88fb21565d419b9025' },
    result: {
      offer_id: 'b646a5bdd626a9078cc415aa193985491bf0b7b78b6c3c88fb21565d419b9025',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq89mq5sznpehmxlh3regkg3wlsa5fz9t88huwffyu85acc4uhhee8qgph22tja0ztrstdckuwzxd4dhn5qyzyw7q58a2cn5h8jjekl5ml6kqqxwwk9cxqvlxj9k04svmf5xff9faej8dctjps2euwwy82ukwgu46qxuxdf0qr66gu9nn22d52hwapwumfuq8qxmtv548pq3a979fk928z9chsle0mr4xtltdhc66wzugrmtmq742cqqetsf22l2vl65mcp35q3m9uc8r6xhgcfvu0nha8pqemyrj7pk4kqnr7576fgl6awyunc0hty7sjvexxt3z3vggzem8zqls2h8tf7qy04s7hphwtejjhecj5ww6dduw532x2zw4tflkq',
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
      invreq_id: '228b6f84146efe43cd254674ae7e96a8bba81e5e26b77ba24743eee142b1f0a5',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqgfc7qhuwl47xsrlj7mqhysrnpwqzsxwfjkvatwv3fqyyugtqss9nkwyplq4wwknuqgltpawrwuhn990n39gua56mcafz5v5ya2knlvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0afz46x20nd08r93z6plkft43nppq9g4ehs0yldj45jgwdq39qkyqsrq6h63r0su9xam5m20gqwsfhwn2m882w35ncwusc30gf4r89ymesqqv7vszmn7m874gr5utpann6s2fhz6d9g9dl5v50835em7ys5j64fzel0nfnqg3tszpxsl33dgr76q7qjn8yuqds732sqc0avwd2kr29z47ztacs74c0jk78k5r0fvg2v87x4c55e5qpj7p243z88kc2wurfpl9zt2h95j0pkafjewzxduxp22k2q7n5h6e0cjwea8v8v8p2n3sp6ka58k8c9nsn77pqtqzxmr80hu6mh3z42j2hggeuc3pjg3vpx6xqjqwyn22tycsvhtrkwvj5ar6kctumz0rjxxuksedg9cnjufap0sxa6ttp44k6mwmn9ug',
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
          invreq_id: '228b6f84146efe43cd254674ae7e96a8bba81e5e26b77ba24743eee142b1f0a5',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqgfc7qhuwl47xsrlj7mqhysrnpwqzsxwfjkvatwv3fqyyugtqss9nkwyplq4wwknuqgltpawrwuhn990n39gua56mcafz5v5ya2knlvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0afz46x20nd08r93z6plkft43nppq9g4ehs0yldj45jgwdq39qkyqsrq6h63r0su9xam5m20gqwsfhwn2m882w35ncwusc30gf4r89ymesqqv7vszmn7m874gr5utpann6s2fhz6d9g9dl5v50835em7ys5j64fzel0nfnqg3tszpxsl33dgr76q7qjn8yuqds732sqc0avwd2kr29z47ztacs74c0jk78k5r0fvg2v87x4c55e5qpj7p243z88kc2wurfpl9zt2h95j0pkafjewzxduxp22k2q7n5h6e0cjwea8v8v8p2n3sp6ka58k8c9nsn77pqtqzxmr80hu6mh3z42j2hggeuc3pjg3vpx6xqjqwyn22tycsvhtrkwvj5ar6kctumz0rjxxuksedg9cnjufap0sxa6ttp44k6mwmn9ug',
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
    params: { invreq_id: '228b6f84146efe43cd254674ae7e96a8bba81e5e26b77ba24743eee142b1f0a5' },
    result: {
      invreq_id: '228b6f84146efe43cd254674ae7e96a8bba81e5e26b77ba24743eee142b1f0a5',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqgfc7qhuwl47xsrlj7mqhysrnpwqzsxwfjkvatwv3fqyyugtqss9nkwyplq4wwknuqgltpawrwuhn990n39gua56mcafz5v5ya2knlvtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0afz46x20nd08r93z6plkft43nppq9g4ehs0yldj45jgwdq39qkyqsrq6h63r0su9xam5m20gqwsfhwn2m882w35ncwusc30gf4r89ymesqqv7vszmn7m874gr5utpann6s2fhz6d9g9dl5v50835em7ys5j64fzel0nfnqg3tszpxsl33dgr76q7qjn8yuqds732sqc0avwd2kr29z47ztacs74c0jk78k5r0fvg2v87x4c55e5qpj7p243z88kc2wurfpl9zt2h95j0pkafjewzxduxp22k2q7n5h6e0cjwea8v8v8p2n3sp6ka58k8c9nsn77pqtqzxmr80hu6mh3z42j2hggeuc3pjg3vpx6xqjqwyn22tycsvhtrkwvj5ar6kctumz0rjxxuksedg9cnjufap0sxa6ttp44k6mwmn9ug',
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
        'lni1qqgz2avzvy326326k3j78629jyjh5zqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypvw8r9cg9c8vd22y3g03zz9wzuyzkfplaqd8dr9qrdca4hs54rcy4ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpw3nenr550hmmt0zrqla3ra4nf2lhyljl0lrwuau2m64yvvhkxlncr…',
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
        'lni1qqs9x02lm9eprylhnf0auvkyvqwhy55ffu9grm02eh6848m94kds6xggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq4tvw4lsnz5cgmycwp2e6aw6uu0asfyvxh43j554l8928rcq6tm8ks06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zq59dzeejhy67gpd5ymc55pzncex7fgzvsu9497d9vq6…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1795955602,
          endtime: 1796560401,
          paywindow_start: 1795350802,
          paywindow_end: 1796560401,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1795955602,
        endtime: 1796560401,
        paywindow_start: 1795350802,
        paywindow_end: 1796560401,
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
        'lnr1qqs9x02lm9eprylhnf0auvkyvqwhy55ffu9grm02eh6848m94kds6xggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq4tvw4lsnz5cgmycwp2e6aw6uu0asfyvxh43j554l8928rcq6tm8hcypw0cer5s5e25swc2e3l5rsaqf47c9h7n53uz3yd2rhyvlwhfv445ea03ts758zjjx5479pp77eg46mfyw3rsrap6mvug9lyedypjrualuwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795350802.117,
          took_ms: 450,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 1,
              took_ms: 435,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgz2avzvy326326k3j78629jyjh5zqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypvw8r9cg9c8vd22y3g03zz9wzuyzkfplaqd8dr9qrdca4hs54rcy4ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpw3nenr550hmmt0zrqla3ra4nf2lhyljl0lrwuau2m64yvvhkxlncr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795350802,
            expires_at: 1795358002,
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
      rune: 'p4qT-KtG3JVZRimhh0IVpa5mRol7vpIPWMejHsIDYLM9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'p4qT-KtG3JVZRimhh0IVpa5mRol7vpIPWMejHsIDYLM9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'p4qT-KtG3JVZRimhh0IVpa5mRol7vpIPWMejHsIDYLM9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'p4qT-KtG3JVZRimhh0IVpa5mRol7vpIPWMejHsIDYLM9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795350803.339,
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
      rune: 'DuGJmvGw1DHnR7G8AbocJ46s3wLXTB-lHRggqpKH6pw9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795350792.503000000', bytes_used: 0, bytes_max: 1000000, log: [] },
  },
  {
    command: 'getmetrics',
    params: {},
    result: {
      content_type: 'text/plain; version=0.0.4; charset=utf-8',
      metrics:
        '# HELP fulgurite_rpc_requests_total Requests that were answered.\n# TYPE fulgurite_rpc_requests_total counter\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="ok"} 1\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="error"} 0\nfulgurite_rpc_requ…',
    },
  },
  {
    command: 'explorer',
    params: {},
    result: {
      url: 'http://127.0.0.1:45185/ui/#code=5Tqk8Jx0nUq3bWl9cRzE1A',
      unique_id: '2',
      valid_until: 1797942803,
      link_valid_until: 1795350863,
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
            'Removes entries made before the cutoff. Created channels, updates and disabled nodes have no age and stay. A node bias is as old as the later of its two directions.',
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
                  description: 'How many entries were removed.',
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
                  'Free disk space or repair the disk; what was changed meanwhile is written with the next change.',
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
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 176128 },
  },
  { command: 'stop', params: {}, result: 'Shutdown complete' },
];
