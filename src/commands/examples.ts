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
      id: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
      alias: 'fulgurite-cb803140',
      color: '02cb80',
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
              timestamp: '2026-11-23T19:51:57.157Z',
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
      source: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
              node_id_in: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
                  node_id_in: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
      source: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
                  node_id_in: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
      source: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
          timestamp: 1795463517,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795463517 }],
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
          timestamp: 1795463517,
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
              source: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795463517, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795463517 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795463517,
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
          timestamp: 1795463517,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
                node_id_in: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
                node_id_in: '02cb803140eff57beb7cf3ab25f923ccd6200b44f8dd65ea9f8b480cffc8382382',
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
          timestamp: 1795463517,
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
          command_id: 'cli:askrene-reserve#31024',
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
      seed: 16725797011329560820n,
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
      payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
      created_at: 1795463517.417,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: '4c03121f0358ff4eb26807d39d003d2357baeec373d487194d644d7d7dbc0ee1',
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
      payment_preimage: '0bb6b8a070f923b44d6a5244c92208d5e260711b8212fbbd9bc76ef1b4438111',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795463517,
      completed_at: 1795463517,
      status: 'complete',
      payment_preimage: '4c03121f0358ff4eb26807d39d003d2357baeec373d487194d644d7d7dbc0ee1',
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
        'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
    },
    result: {
      seed: 9317290721290188208n,
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
        'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
    },
    result: {
      payment_preimage: '13802c4a5205c39e440c8f97a6ee52f7daf485bd68040b5cd2938b4497ef253d',
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
        'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
          payment_preimage: '13802c4a5205c39e440c8f97a6ee52f7daf485bd68040b5cd2938b4497ef253d',
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
        'lnbc20u1p4sfx2asp5qqqqqqqqqq0gfqrtqjnk6qqjp2r0xvfltc6a2f0dpcdxu6u0y7hqpp5pwc0zqt3czrw5n5a9v7r5k0h284n0u5sxvahr3xm9g790nzwl4csdq8vdskkegxqrrsscqpj9qyysgq8gryswqxt5k4ptxhwf4kwesekzyz2dk6mn2xjrnjyz8qdd542lk30e6r2ufgv7tthgng7sqmvtq6rh5ayh3dptsyxpw0et6lsgqdg3sqhn0mej',
      payment_preimage: '13802c4a5205c39e440c8f97a6ee52f7daf485bd68040b5cd2938b4497ef253d',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '0bb0f10171c086ea4e9d2b3c3a59f751eb37f290333b71c4db2a3c57cc4efd71',
      payment_preimage: '13802c4a5205c39e440c8f97a6ee52f7daf485bd68040b5cd2938b4497ef253d',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795463517,
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
        'lnbc30u1p4sfx2asp5qqqqqqqqqqkudsrtqjnk6qqjyumjwhj874jn0mnlsruq0pse3fnspp5q4x8svhldhm6r8gqzcx8a6n0a2kl43dff6rnx8q2ah6cf5sk9e9sdqqxqrrsscqpj9qyysgqlmcw9qyke5pvh72kpmn5gheuhxext93nze8f3zddk3hnm95nzhvh3u3yp4snt74sjdjsuvrpennf4xgsj4w5yxfmqz08gjtsvd5zkmgp7yrp9c',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4sfx2asp5qqqqqqqqqqkudsrtqjnk6qqjyumjwhj874jn0mnlsruq0pse3fnspp5q4x8svhldhm6r8gqzcx8a6n0a2kl43dff6rnx8q2ah6cf5sk9e9sdqqxqrrsscqpj9qyysgqlmcw9qyke5pvh72kpmn5gheuhxext93nze8f3zddk3hnm95nzhvh3u3yp4snt74sjdjsuvrpennf4xgsj4w5yxfmqz08gjtsvd5zkmgp7yrp9c',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '054c7832ff6df7a19d00160c7eea6feaadfac5a94e87331c0aedf584d2162e4b',
      created_at: 1795463517.922,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '17f8e970829bc26451c93ebfbf21189a25696a240fb004ad25004a14005cf772',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
          status: 'complete',
          created_at: 1795463517,
          completed_at: 1795463517,
          label: 'tea',
          preimage: '4c03121f0358ff4eb26807d39d003d2357baeec373d487194d644d7d7dbc0ee1',
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
    params: { payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795463517,
          completed_at: 1795463517,
          status: 'complete',
          payment_preimage: '4c03121f0358ff4eb26807d39d003d2357baeec373d487194d644d7d7dbc0ee1',
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
          id: 'f2f73731cb8e71e8514ff71a8c11d558',
          created_index: 2,
          command: 'keysend',
          payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795463517.417,
          completed_at: 1795463517.583,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf' },
    result: {
      payments: [
        {
          id: 'f2f73731cb8e71e8514ff71a8c11d558',
          created_index: 2,
          command: 'keysend',
          payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795463517.417,
          completed_at: 1795463517.583,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 15458308964131289644n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795463517.419,
              completed_at: 1795463517.582,
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
        'lnbc30u1p4sfx2asp5qqqqqqqqqqkudsrtqjnk6qqjyumjwhj874jn0mnlsruq0pse3fnspp5q4x8svhldhm6r8gqzcx8a6n0a2kl43dff6rnx8q2ah6cf5sk9e9sdqqxqrrsscqpj9qyysgqlmcw9qyke5pvh72kpmn5gheuhxext93nze8f3zddk3hnm95nzhvh3u3yp4snt74sjdjsuvrpennf4xgsj4w5yxfmqz08gjtsvd5zkmgp7yrp9c',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4sfx2asp5qqqqqqqqqqkudsrtqjnk6qqjyumjwhj874jn0mnlsruq0pse3fnspp5q4x8svhldhm6r8gqzcx8a6n0a2kl43dff6rnx8q2ah6cf5sk9e9sdqqxqrrsscqpj9qyysgqlmcw9qyke5pvh72kpmn5gheuhxext93nze8f3zddk3hnm95nzhvh3u3yp4snt74sjdjsuvrpennf4xgsj4w5yxfmqz08gjtsvd5zkmgp7yrp9c',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '054c7832ff6df7a19d00160c7eea6feaadfac5a94e87331c0aedf584d2162e4b',
          status: 'complete',
          seed: 11370665138864434047n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-23T19:51:57.924Z',
              age_in_seconds: 0,
              end_time: '2026-11-23T19:51:58.089Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '17f8e970829bc26451c93ebfbf21189a25696a240fb004ad25004a14005cf772',
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
      correction: { slope: 1.0070331161303416, offset: 0.0016398021979962157 },
      priors: [{ prior: 'uniform', stale_ppm: 0, weight_ppm: 33333, simulated: true }],
      nodes: [
        {
          node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          away_ppm: 6537,
          seen_at: 1795463518,
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
          created_at: 1795463517.419,
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
      payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: 'f8b3c24b8dfb223a68d8dc01912d20f14beba5008598bf8c557f243b95ec9ccf',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795463517,
          completed_at: 1795463517,
          status: 'complete',
          payment_preimage: '4c03121f0358ff4eb26807d39d003d2357baeec373d487194d644d7d7dbc0ee1',
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
      offer_id: 'f05a608115d7d054451ca11b6eac3b1ec166ef92dd8ac9f8be91f77cf4cb74b6',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9ymp7gn7t2ejfu3y9jsuynczxfelu6yyc4gd0e76t72h5nez55qnqgpr3z6v453pdsedf9sgpj65wnk5xlva743kzmyer6stlegnt3jsd2qqxwh5j79qvruqfxzcqxmk47d2y269yfq0r07udkntgwwgx23jj6lzv9r5vzkhrykmzrfk73mzz57xwv533rnsykasjvmgvhsm6zr72vcmhffxzxzttpke7sk3upje9ffsux72ug2nqqerlxpkhctcrqvu5hhjmvdp4xdlys5qjkjlrfa5efana9vhs2wqjw34pusf8turpsctpfy4j8e99thj5fe3vggzewqrzs8074a7kl8n4vjljg7v6csqk38cm4j748utfqx0ljpcywpq',
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
          offer_id: 'f05a608115d7d054451ca11b6eac3b1ec166ef92dd8ac9f8be91f77cf4cb74b6',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9ymp7gn7t2ejfu3y9jsuynczxfelu6yyc4gd0e76t72h5nez55qnqgpr3z6v453pdsedf9sgpj65wnk5xlva743kzmyer6stlegnt3jsd2qqxwh5j79qvruqfxzcqxmk47d2y269yfq0r07udkntgwwgx23jj6lzv9r5vzkhrykmzrfk73mzz57xwv533rnsykasjvmgvhsm6zr72vcmhffxzxzttpke7sk3upje9ffsux72ug2nqqerlxpkhctcrqvu5hhjmvdp4xdlys5qjkjlrfa5efana9vhs2wqjw34pusf8turpsctpfy4j8e99thj5fe3vggzewqrzs8074a7kl8n4vjljg7v6csqk38cm4j748utfqx0ljpcywpq',
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
    params: { offer_id: 'f05a608115d7d054451ca11b6eac3b1ec166ef92dd8ac9f8be91f77cf4cb74b6' },
    result: {
      offer_id: 'f05a608115d7d054451ca11b6eac3b1ec166ef92dd8ac9f8be91f77cf4cb74b6',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9ymp7gn7t2ejfu3y9jsuynczxfelu6yyc4gd0e76t72h5nez55qnqgpr3z6v453pdsedf9sgpj65wnk5xlva743kzmyer6stlegnt3jsd2qqxwh5j79qvruqfxzcqxmk47d2y269yfq0r07udkntgwwgx23jj6lzv9r5vzkhrykmzrfk73mzz57xwv533rnsykasjvmgvhsm6zr72vcmhffxzxzttpke7sk3upje9ffsux72ug2nqqerlxpkhctcrqvu5hhjmvdp4xdlys5qjkjlrfa5efana9vhs2wqjw34pusf8turpsctpfy4j8e99thj5fe3vggzewqrzs8074a7kl8n4vjljg7v6csqk38cm4j748utfqx0ljpcywpq',
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
      invreq_id: 'c09c133c7c4b51b700aded21bfe6f83d47bc15c5735fcd53c49c83ffe37365d1',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqg22ap9euh7mnj2pnzur2r0tjx8jzsxwfjkvatwv3fqyyugtqss9juqx9qwlatmad7082e9ly3ue43qpdz03ht9a20ckjqvllyrsguztthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqtw9zs5ftt3gawgwgl56lyneq6wpvmqhq9t4p3gjg3lkz4gk4zj52qszdh97csx57zjtepkryexd7fpcy6hh603yzve3pary353ydkg9683sqvup5j7ltjdllskeflnx7k25n58nwtpv0raf6r8c83yxdaw4ujtmhlracyvpyvcc63auu67fncxglrcahuryqfgf86gusplpy36f6ev4ryhwaseq3rn2rlffg3rfpwuch2k2zd0yjqpj2mft8nj3dg0cnpxtqhr55fhf3w2fdhhm0cm8dhwjsskuxss75se22avyq88lrhyh0gd6x33337r76d4a7pq985f4s6p58wqck0qsnx8vkfkt2n27c3c7yhwz5lmmslqktn3qu9eywjy4kedtwvmvfqkurzw69wyccjnyh9k309nvxlk8ggwp3e3l5q',
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
          invreq_id: 'c09c133c7c4b51b700aded21bfe6f83d47bc15c5735fcd53c49c83ffe37365d1',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqg22ap9euh7mnj2pnzur2r0tjx8jzsxwfjkvatwv3fqyyugtqss9juqx9qwlatmad7082e9ly3ue43qpdz03ht9a20ckjqvllyrsguztthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqtw9zs5ftt3gawgwgl56lyneq6wpvmqhq9t4p3gjg3lkz4gk4zj52qszdh97csx57zjtepkryexd7fpcy6hh603yzve3pary353ydkg9683sqvup5j7ltjdllskeflnx7k25n58nwtpv0raf6r8c83yxdaw4ujtmhlracyvpyvcc63auu67fncxglrcahuryqfgf86gusplpy36f6ev4ryhwaseq3rn2rlffg3rfpwuch2k2zd0yjqpj2mft8nj3dg0cnpxtqhr55fhf3w2fdhhm0cm8dhwjsskuxss75se22avyq88lrhyh0gd6x33337r76d4a7pq985f4s6p58wqck0qsnx8vkfkt2n27c3c7yhwz5lmmslqktn3qu9eywjy4kedtwvmvfqkurzw69wyccjnyh9k309nvxlk8ggwp3e3l5q',
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
    params: { invreq_id: 'c09c133c7c4b51b700aded21bfe6f83d47bc15c5735fcd53c49c83ffe37365d1' },
    result: {
      invreq_id: 'c09c133c7c4b51b700aded21bfe6f83d47bc15c5735fcd53c49c83ffe37365d1',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqg22ap9euh7mnj2pnzur2r0tjx8jzsxwfjkvatwv3fqyyugtqss9juqx9qwlatmad7082e9ly3ue43qpdz03ht9a20ckjqvllyrsguztthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqtw9zs5ftt3gawgwgl56lyneq6wpvmqhq9t4p3gjg3lkz4gk4zj52qszdh97csx57zjtepkryexd7fpcy6hh603yzve3pary353ydkg9683sqvup5j7ltjdllskeflnx7k25n58nwtpv0raf6r8c83yxdaw4ujtmhlracyvpyvcc63auu67fncxglrcahuryqfgf86gusplpy36f6ev4ryhwaseq3rn2rlffg3rfpwuch2k2zd0yjqpj2mft8nj3dg0cnpxtqhr55fhf3w2fdhhm0cm8dhwjsskuxss75se22avyq88lrhyh0gd6x33337r76d4a7pq985f4s6p58wqck0qsnx8vkfkt2n27c3c7yhwz5lmmslqktn3qu9eywjy4kedtwvmvfqkurzw69wyccjnyh9k309nvxlk8ggwp3e3l5q',
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
        'lni1qqgy4xgrnrr7f8n50qyc3xznzf6fjzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypkjl90lthde75shl4gxqszceru2wv8w8axaja9w5nsmzlt87yjxd9ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpvew2xmc8s8hsrhh7xhuxke8tt9dmnaezak2x3r78vpzm34s0x8rsr…',
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
        'lni1qqsxx70e62zcwahsxj2p7shrp0ql48w69kjmdu586r7yjppsn5r6stsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq6lujvy3geyxwlr4aqul5m7np722d5gg0seu58q99ugdz7rh782u6s06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqaj75kflakgh7f277avmel4vdl53kv3dk233rpfp2f0…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796068318,
          endtime: 1796673117,
          paywindow_start: 1795463518,
          paywindow_end: 1796673117,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796068318,
        endtime: 1796673117,
        paywindow_start: 1795463518,
        paywindow_end: 1796673117,
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
        'lnr1qqsxx70e62zcwahsxj2p7shrp0ql48w69kjmdu586r7yjppsn5r6stsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq6lujvy3geyxwlr4aqul5m7np722d5gg0seu58q99ugdz7rh782umcype7hpm8gz308hksj4tlweh9tlrf3ghqs7huv3rhqm2dh8e8awmerenljy0yqxtpdk5n50w5vuty8fvpsgquwwc4qq23he8lwrvtueheluwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795463518.207,
          took_ms: 160,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 32,
              took_ms: 129,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgy4xgrnrr7f8n50qyc3xznzf6fjzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypkjl90lthde75shl4gxqszceru2wv8w8axaja9w5nsmzlt87yjxd9ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpvew2xmc8s8hsrhh7xhuxke8tt9dmnaezak2x3r78vpzm34s0x8rsr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795463518,
            expires_at: 1795470718,
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
      rune: '1COT6fJnUWEGoYoJztpITmPHOlIkw49rOZKLhSN-SMA9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: '1COT6fJnUWEGoYoJztpITmPHOlIkw49rOZKLhSN-SMA9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: '1COT6fJnUWEGoYoJztpITmPHOlIkw49rOZKLhSN-SMA9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: '1COT6fJnUWEGoYoJztpITmPHOlIkw49rOZKLhSN-SMA9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795463518.791,
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
      rune: 'Wlz-pTO_UmSubglyTzdBgg_xggvIX-El3Zc-x1W6rv09MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795463516.814000000', bytes_used: 0, bytes_max: 1000000, log: [] },
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
      url: 'http://127.0.0.1:45735/ui/#code=jgwjTnh6SgPiMc8M7tX5kA',
      unique_id: '2',
      valid_until: 1798055518,
      link_valid_until: 1795463578,
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
];
