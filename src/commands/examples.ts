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
      id: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
      alias: 'fulgurite-a1187004',
      color: '02a118',
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
              timestamp: '2026-11-24T04:40:36.042Z',
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
      source: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
              node_id_in: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
                  node_id_in: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
      source: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
                  node_id_in: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
      source: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
          timestamp: 1795495236,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795495236 }],
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
          timestamp: 1795495236,
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
              source: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795495236, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795495236 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795495236,
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
          timestamp: 1795495236,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
                node_id_in: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
                node_id_in: '02a11870048e8afcec23418c33c6b8940a53dd0c687f29e49a2bf4852f003a54b1',
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
          timestamp: 1795495236,
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
          command_id: 'cli:askrene-reserve#2606',
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
      seed: 18039278749389715380n,
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
      payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
      created_at: 1795495236.279,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: 'fac90239d007f34b1e06031b555599e495f421ef738766af3fdf6fef14372047',
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
      payment_preimage: '6e3cb41f1566930c5473ec2d088f63c105c32576dbbbfe3b22340d64fa5bc35f',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795495236,
      completed_at: 1795495236,
      status: 'complete',
      payment_preimage: 'fac90239d007f34b1e06031b555599e495f421ef738766af3fdf6fef14372047',
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
        'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
    },
    result: {
      seed: 18344439563289735218n,
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
    command: 'planrebalance',
    params: { maxfee: '100sat', maxfee_ppm: 1000 },
    result: { wanted_msat: 0, amount_msat: 0, fee_msat: 0, parts: [], channels: [], simulated: true },
  },
  {
    command: 'rebalance',
    params: { maxfee: '100sat', amount_msat: '100000sat', maxfee_ppm: 1000 },
    result: { wanted_msat: 0, amount_msat: 0, fee_msat: 0, parts: [], simulated: true },
  },
  {
    command: 'addwebhook',
    params: { url: 'https://hooks.example/payments' },
    result: {
      webhook_id: 'fa6f93d1c9ed680d947e17fd4794641c',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795495236,
      secret: 'whsec_SaFxSQDrTBNmQhO1lfO4cZiNS+HVrZKRW/QyDxQhmEA=',
    },
  },
  {
    command: 'listwebhooks',
    params: {},
    result: {
      webhooks: [
        {
          webhook_id: 'fa6f93d1c9ed680d947e17fd4794641c',
          url: 'https://hooks.example/payments',
          events: ['complete'],
          created_at: 1795495236,
          waiting: 0,
          delivered: 0,
          failures: 0,
          dropped: 0,
        },
      ],
    },
  },
  {
    command: 'delwebhook',
    params: { webhook_id: 'fa6f93d1c9ed680d947e17fd4794641c' },
    result: {
      webhook_id: 'fa6f93d1c9ed680d947e17fd4794641c',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795495236,
    },
  },
  {
    command: 'quote',
    params: {
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      expires_in: 3600,
    },
    result: {
      quote_id: '7a50aa93c71b8c09f89d15696f802cb1',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795495236,
      expires_at: 1795498836,
      routes: [
        {
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          probability_ppm: 990401,
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
    command: 'listquotes',
    params: { quote_id: '7a50aa93c71b8c09f89d15696f802cb1' },
    result: {
      quotes: [
        {
          quote_id: '7a50aa93c71b8c09f89d15696f802cb1',
          command: 'xkeysend',
          invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          fee_msat: 0,
          maxfee_msat: 0,
          confidence_ppm: 990000,
          probability_ppm: 1000000,
          parts: 1,
          held_msat: 0,
          created_at: 1795495236,
          expires_at: 1795498836,
          status: 'open',
          simulated: true,
        },
      ],
      held_msat: 0,
      simulated: true,
    },
  },
  {
    command: 'delquote',
    params: { quote_id: '7a50aa93c71b8c09f89d15696f802cb1' },
    result: {
      quote_id: '7a50aa93c71b8c09f89d15696f802cb1',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795495236,
      expires_at: 1795498836,
      simulated: true,
    },
  },
  {
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
    },
    result: {
      payment_preimage: '990c6a8079f5733cd84fad45b29a2a7244a530d3f0a9bbc12d83d4c20ebef9bf',
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
        'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
          payment_preimage: '990c6a8079f5733cd84fad45b29a2a7244a530d3f0a9bbc12d83d4c20ebef9bf',
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
        'lnbc20u1p4s292ysp5qqqqqqqqqq0gfqrtq534gqqjq2gt8sa8y59qprn60mj5ghzsqscspp5c7sfgygp88lfzw6jrjqjumz069dxgv4pr8lt5qrzp6f94h6g9qdsdq8vdskkegxqrrsscqpj9qyysgqhryjhc42f5rk7hh4e0gr44q0uuudmwgdwhqyaree8md6y4j67mlzdyfapxmfqld5khjm4u05s4230zxy77ncj3fpm8zwtlcewd706dgqarqlfy',
      payment_preimage: '990c6a8079f5733cd84fad45b29a2a7244a530d3f0a9bbc12d83d4c20ebef9bf',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: 'c7a094110139fe913b521c812e6c4fd15a6432a119feba00620e925adf48281b',
      payment_preimage: '990c6a8079f5733cd84fad45b29a2a7244a530d3f0a9bbc12d83d4c20ebef9bf',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795495236,
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
        'lnbc30u1p4s292ysp5qqqqqqqqqqkudsrtq534gqqj8dtll4dd0xu0x38srue48xda5jaspp5m7k3m952s67eadn7c5c0ya6s5d5u2ecftqltpqrlm8wzweycv8hqdqqxqrrsscqpj9qyysgqqll3uf0xh5wlkn9nrc8dl9sm80rgvje89xav77qrg4dw97qycmgpaj5q8xqfpzgjppqfq2guapcxnrhrvd8prjgp30z6zn3rxghveuqpg0z0rr',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s292ysp5qqqqqqqqqqkudsrtq534gqqj8dtll4dd0xu0x38srue48xda5jaspp5m7k3m952s67eadn7c5c0ya6s5d5u2ecftqltpqrlm8wzweycv8hqdqqxqrrsscqpj9qyysgqqll3uf0xh5wlkn9nrc8dl9sm80rgvje89xav77qrg4dw97qycmgpaj5q8xqfpzgjppqfq2guapcxnrhrvd8prjgp30z6zn3rxghveuqpg0z0rr',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: 'dfad1d968a86bd9eb67ec530f27750a369c56709583eb0807fd9dc27649861ee',
      created_at: 1795495236.798,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '9754020602381d26c42f9550e8b9d5188f0787e6133eaa57db7dad96d8a46b26',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
          status: 'complete',
          created_at: 1795495236,
          completed_at: 1795495236,
          label: 'tea',
          preimage: 'fac90239d007f34b1e06031b555599e495f421ef738766af3fdf6fef14372047',
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
    params: { payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795495236,
          completed_at: 1795495236,
          status: 'complete',
          payment_preimage: 'fac90239d007f34b1e06031b555599e495f421ef738766af3fdf6fef14372047',
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
          id: 'b574d08bfcae1d55673fcbb9c12db579',
          created_index: 2,
          command: 'keysend',
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795495236.279,
          completed_at: 1795495236.445,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330' },
    result: {
      payments: [
        {
          id: 'b574d08bfcae1d55673fcbb9c12db579',
          created_index: 2,
          command: 'keysend',
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795495236.279,
          completed_at: 1795495236.445,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 11105480880354600037n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795495236.281,
              completed_at: 1795495236.445,
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
        'lnbc30u1p4s292ysp5qqqqqqqqqqkudsrtq534gqqj8dtll4dd0xu0x38srue48xda5jaspp5m7k3m952s67eadn7c5c0ya6s5d5u2ecftqltpqrlm8wzweycv8hqdqqxqrrsscqpj9qyysgqqll3uf0xh5wlkn9nrc8dl9sm80rgvje89xav77qrg4dw97qycmgpaj5q8xqfpzgjppqfq2guapcxnrhrvd8prjgp30z6zn3rxghveuqpg0z0rr',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s292ysp5qqqqqqqqqqkudsrtq534gqqj8dtll4dd0xu0x38srue48xda5jaspp5m7k3m952s67eadn7c5c0ya6s5d5u2ecftqltpqrlm8wzweycv8hqdqqxqrrsscqpj9qyysgqqll3uf0xh5wlkn9nrc8dl9sm80rgvje89xav77qrg4dw97qycmgpaj5q8xqfpzgjppqfq2guapcxnrhrvd8prjgp30z6zn3rxghveuqpg0z0rr',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'dfad1d968a86bd9eb67ec530f27750a369c56709583eb0807fd9dc27649861ee',
          status: 'complete',
          seed: 3363576374545860623n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-24T04:40:36.799Z',
              age_in_seconds: 0,
              end_time: '2026-11-24T04:40:36.963Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '9754020602381d26c42f9550e8b9d5188f0787e6133eaa57db7dad96d8a46b26',
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
      correction: { slope: 1.007033006697246, offset: 0.0016397735949057028 },
      priors: [{ prior: 'uniform', stale_ppm: 0, weight_ppm: 33333, simulated: true }],
      nodes: [
        {
          node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          away_ppm: 6536,
          seen_at: 1795495236,
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
          time: 1795495236.445,
          kind: 'payment',
          payment_id: 'b574d08bfcae1d55673fcbb9c12db579',
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
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
          created_at: 1795495236.281,
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
      payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '3790b34126b43296318d99c6ca8af7a6ba8ceaf9da38444a880a866d6fc31330',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795495236,
          completed_at: 1795495236,
          status: 'complete',
          payment_preimage: 'fac90239d007f34b1e06031b555599e495f421ef738766af3fdf6fef14372047',
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
      offer_id: '8648a7c3c8fd34e07b8cc4f0df2473f140e414f6411aa3bc14956ce4594e86fc',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq82qqlfee3jdqalnng824lzl9f4gckg8rachud07x7y5n7hsspgjhqgpceyhk39wtxeatwmr9szl99s6cdkd6pgntsaq0uaf0pq22h88jp4sqxdpa59x4s667nvhftd89n4cc37wmaqedx3865wg0j3a85nerj9gh7s050f6z4dehxuu8rzheq96waf3w45lqy0ms5gsqjm0x7aalgemyhd0srudyz9haw4mlx3s9uvvl6g3urw58qqevtzgxqxlhnqj4yj62mlsn2r47qpwgu8f2xaj6ay7qsahec70mras534s284hmaqdhl4j5nf4ttfxetra3vggz5yv8qpyw3t7wcg6p3seudwy5pffa6rrg0u57fx3t7jzj7qp62jcs',
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
          offer_id: '8648a7c3c8fd34e07b8cc4f0df2473f140e414f6411aa3bc14956ce4594e86fc',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq82qqlfee3jdqalnng824lzl9f4gckg8rachud07x7y5n7hsspgjhqgpceyhk39wtxeatwmr9szl99s6cdkd6pgntsaq0uaf0pq22h88jp4sqxdpa59x4s667nvhftd89n4cc37wmaqedx3865wg0j3a85nerj9gh7s050f6z4dehxuu8rzheq96waf3w45lqy0ms5gsqjm0x7aalgemyhd0srudyz9haw4mlx3s9uvvl6g3urw58qqevtzgxqxlhnqj4yj62mlsn2r47qpwgu8f2xaj6ay7qsahec70mras534s284hmaqdhl4j5nf4ttfxetra3vggz5yv8qpyw3t7wcg6p3seudwy5pffa6rrg0u57fx3t7jzj7qp62jcs',
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
    params: { offer_id: '8648a7c3c8fd34e07b8cc4f0df2473f140e414f6411aa3bc14956ce4594e86fc' },
    result: {
      offer_id: '8648a7c3c8fd34e07b8cc4f0df2473f140e414f6411aa3bc14956ce4594e86fc',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq82qqlfee3jdqalnng824lzl9f4gckg8rachud07x7y5n7hsspgjhqgpceyhk39wtxeatwmr9szl99s6cdkd6pgntsaq0uaf0pq22h88jp4sqxdpa59x4s667nvhftd89n4cc37wmaqedx3865wg0j3a85nerj9gh7s050f6z4dehxuu8rzheq96waf3w45lqy0ms5gsqjm0x7aalgemyhd0srudyz9haw4mlx3s9uvvl6g3urw58qqevtzgxqxlhnqj4yj62mlsn2r47qpwgu8f2xaj6ay7qsahec70mras534s284hmaqdhl4j5nf4ttfxetra3vggz5yv8qpyw3t7wcg6p3seudwy5pffa6rrg0u57fx3t7jzj7qp62jcs',
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
      invreq_id: '92f5796d398fd5369f8257992d8a52c6c5b90bf860b3b62c683410ddf07c96be',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqgq7hcxkj47yv09g2c9r06llepz6zsxwfjkvatwv3fqyyugtqss9ggcwqzgazhuas35rrpnc6ufgzjnm5xxslefujdzhay99uqr5493tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0ew6dx56y3uyug53qgwejzmaafv5j5um4k67x6gs2g20ssamptavqszfr0qjgl2zljwxr9ulf6jgeaa3tyt3shhhs6nvs32fa5grp8n0mjqqveyveedwmpggnl8rt0tsufax74z8wz0hgz0ekgy8pn5d535hw4wsakdzkyeefge7jg88ynqzr6edkfgg45tq2627dcjykum9ze3j8f8qwanfytguakwqqhvzapjryj0x7l74m67wqpj0cp3j94w86u2kj6mq299xx5v40upfc5r5e2ldxvjw9jxyd3zawey5hgf88mf9r6qc0g8hg60fglnlnmj7pqy5l5u9px0503w4u5ffqxhz6qtzgkpx293n9c4ekvtm2p0ce82qx5ttvtgn4m7gfy8hrwzy33fjqn047sh8unsjea3lz72d4a5knk2zv',
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
          invreq_id: '92f5796d398fd5369f8257992d8a52c6c5b90bf860b3b62c683410ddf07c96be',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqgq7hcxkj47yv09g2c9r06llepz6zsxwfjkvatwv3fqyyugtqss9ggcwqzgazhuas35rrpnc6ufgzjnm5xxslefujdzhay99uqr5493tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0ew6dx56y3uyug53qgwejzmaafv5j5um4k67x6gs2g20ssamptavqszfr0qjgl2zljwxr9ulf6jgeaa3tyt3shhhs6nvs32fa5grp8n0mjqqveyveedwmpggnl8rt0tsufax74z8wz0hgz0ekgy8pn5d535hw4wsakdzkyeefge7jg88ynqzr6edkfgg45tq2627dcjykum9ze3j8f8qwanfytguakwqqhvzapjryj0x7l74m67wqpj0cp3j94w86u2kj6mq299xx5v40upfc5r5e2ldxvjw9jxyd3zawey5hgf88mf9r6qc0g8hg60fglnlnmj7pqy5l5u9px0503w4u5ffqxhz6qtzgkpx293n9c4ekvtm2p0ce82qx5ttvtgn4m7gfy8hrwzy33fjqn047sh8unsjea3lz72d4a5knk2zv',
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
    params: { invreq_id: '92f5796d398fd5369f8257992d8a52c6c5b90bf860b3b62c683410ddf07c96be' },
    result: {
      invreq_id: '92f5796d398fd5369f8257992d8a52c6c5b90bf860b3b62c683410ddf07c96be',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqgq7hcxkj47yv09g2c9r06llepz6zsxwfjkvatwv3fqyyugtqss9ggcwqzgazhuas35rrpnc6ufgzjnm5xxslefujdzhay99uqr5493tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuq0ew6dx56y3uyug53qgwejzmaafv5j5um4k67x6gs2g20ssamptavqszfr0qjgl2zljwxr9ulf6jgeaa3tyt3shhhs6nvs32fa5grp8n0mjqqveyveedwmpggnl8rt0tsufax74z8wz0hgz0ekgy8pn5d535hw4wsakdzkyeefge7jg88ynqzr6edkfgg45tq2627dcjykum9ze3j8f8qwanfytguakwqqhvzapjryj0x7l74m67wqpj0cp3j94w86u2kj6mq299xx5v40upfc5r5e2ldxvjw9jxyd3zawey5hgf88mf9r6qc0g8hg60fglnlnmj7pqy5l5u9px0503w4u5ffqxhz6qtzgkpx293n9c4ekvtm2p0ce82qx5ttvtgn4m7gfy8hrwzy33fjqn047sh8unsjea3lz72d4a5knk2zv',
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
        'lni1qqgvjceapg76dwuz5pwg9ra97w682zqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyp5h6mhtvphg34a4xqg6v5uetqnnlngnp292st3sen530j78m7gsxaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpvy624kq8vdnh7nz78djh05u2qn057krak7qe656r0uu0hkkmzkqqr…',
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
        'lni1qqstwlzsrja3uuhe2cj6xq8n8xna66zlnyx89h9gfh05nssly5qyrqsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqkhs83cneue3aqvr56g3zm960phfqwq6r3wp8avujkm0lvfdt9ymks06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqmm9elfg9evkcx9tvdfvwrh9ky24dm24m38k9tuyqhz…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796100037,
          endtime: 1796704836,
          paywindow_start: 1795495237,
          paywindow_end: 1796704836,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796100037,
        endtime: 1796704836,
        paywindow_start: 1795495237,
        paywindow_end: 1796704836,
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
        'lnr1qqstwlzsrja3uuhe2cj6xq8n8xna66zlnyx89h9gfh05nssly5qyrqsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqkhs83cneue3aqvr56g3zm960phfqwq6r3wp8avujkm0lvfdt9ymhcyqy8t0m8vywre26838s6edanqpvlpadjqfdn0x4facwpxr3cmswjvgrxjn9xf2wprlnjlh7nkst99qua8w3wxdf3ur9pf56zxm8ckjweluwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795495237.004,
          took_ms: 133,
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
              took_ms: 131,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgvjceapg76dwuz5pwg9ra97w682zqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyp5h6mhtvphg34a4xqg6v5uetqnnlngnp292st3sen530j78m7gsxaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpvy624kq8vdnh7nz78djh05u2qn057krak7qe656r0uu0hkkmzkqqr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795495237,
            expires_at: 1795502437,
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
      rune: 'x4PzMD-2e1k0GLU1WDw2mmC2eZy8rflzx-ObhF0Ngs09MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'x4PzMD-2e1k0GLU1WDw2mmC2eZy8rflzx-ObhF0Ngs09MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'x4PzMD-2e1k0GLU1WDw2mmC2eZy8rflzx-ObhF0Ngs09MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'x4PzMD-2e1k0GLU1WDw2mmC2eZy8rflzx-ObhF0Ngs09MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795495237.555,
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
      rune: 'icRlWbu_1Oo3CdZkPG0SprQtn_wgx6OsQ2RFayOHXoc9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795495235.682000000', bytes_used: 0, bytes_max: 1000000, log: [] },
  },
  {
    command: 'getmetrics',
    params: {},
    result: {
      content_type: 'text/plain; version=0.0.4; charset=utf-8',
      metrics:
        '# HELP fulgurite_rpc_requests_total Answered requests.\n# TYPE fulgurite_rpc_requests_total counter\nfulgurite_rpc_requests_total{method="addwebhook",transport="socket",outcome="ok"} 1\nfulgurite_rpc_requests_total{method="addwebhook",transport="socket",outcome="error"} 0\nfulgurite_rpc_requests_total{m…',
    },
  },
  {
    command: 'explorer',
    params: {},
    result: {
      url: 'http://127.0.0.1:39247/ui/#code=WLwj8ZkH7vPREj8Yr0RwEQ',
      unique_id: '2',
      valid_until: 1798087237,
      link_valid_until: 1795495297,
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
          name: 'addwebhook',
          summary: 'Post events of payments to a URL.',
          description:
            'Payments that begin from now on are reported by POST requests with a JSON body, as in the event stream. Each event is posted until the receiver answers with a status of 2xx, at least once, the events of one payment in order, with pauses of 1 second to a day after failures. Requests are signed as Standard Webhooks describes: header webhook-signature is `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. The host must be one of the option `webhook-host`.',
          tags: [{ name: 'utility' }],
          paramStructure: 'either',
          params: [
            {
              name: 'url',
              description: 'An https:// or http:// address.',
              required: true,
              schema: { title: 'string', type: 'string' },
            },
          ],
          result: {
            name: 'result',
            schema: {
              type: 'object',
              properties: {
                webhook_id: { title: 'string', type: 'string', description: 'Id of the webhook.' },
                url: { title: 'string', type: 'string', description: 'Where events are posted.' },
                events: {
                  type: 'array',
                  items: { title: 'string', type: 'string' },
                  description: 'Events that are posted.',
                },
                created_at: { title: 'u64', type: 'integer', minimum: 0, description: 'UNIX time.' },
                secret: {
                  title: 'string',
                  type: 'string',
                  description: 'The secret for signatures. It is not shown again.',
                },
              },
              required: ['webhook_id'],
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
              name: 'addwebhook',
              params: [{ name: 'url', value: 'https://hooks.example/payments' }],
              result: {
                name: 'result',
                value: {
                  webhook_id: '9733c855da1c3ab3b8f3b28b37afe9a3',
                  url: 'https://hooks.example/payments',
                  events: ['complete'],
                  created_at: 1795495003,
                  secret: 'whsec_reRnUJwYjB718Kv9LO5JUouhchIq/so8qgs15HU5UWk=',
                },
              },
            },
          ],
        },
      ],
    },
  },
  {
    command: 'backup',
    params: { destination: '/home/you/.fulgurite/backup' },
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 212992 },
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
      seed: 9033398193690480262n,
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
      payment_preimage: 'b0269bae8507d8f3b13d5450e19371fcdad67978692257d6225c24c9af11a11d',
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
];
