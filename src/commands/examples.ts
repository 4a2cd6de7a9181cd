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
      id: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
      alias: 'fulgurite-69c8948f',
      color: '0269c8',
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
              timestamp: '2026-11-22T11:51:03.588Z',
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
    error: { code: -32005, message: 'connections of this network cannot be ended' },
  },
  {
    command: 'getroutes',
    params: {
      source: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: '5sat',
      final_cltv: 18,
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
              node_id_in: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
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
      source: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
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
          timestamp: 1795348265,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795348265 }],
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
          timestamp: 1795348265,
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
              source: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795348265, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795348265 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795348265,
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
          timestamp: 1795348265,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
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
                node_id_in: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
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
                node_id_in: '0269c8948f4fea61e9aeacfacace8f5e634a6724c52697f88fbb528f93563b5cde',
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
          timestamp: 1795348265,
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
          command_id: 'cli:askrene-reserve#17476',
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
      seed: 7995201105882828180n,
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
      payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
      created_at: 1795348265.698,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: '162d25b339d11c7f1f82ac2ec797394b9e571b51a3e9c4562b68defacdc6bccf',
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
      payment_preimage: '62862e8a0a6744bb9fc14076a7a8e830f1d76dd27a0d99598f1ef3eded3afe35',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795348265,
      completed_at: 1795348265,
      status: 'complete',
      payment_preimage: '162d25b339d11c7f1f82ac2ec797394b9e571b51a3e9c4562b68defacdc6bccf',
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
        'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
    },
    result: {
      seed: 353675245591592683n,
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
        'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
    },
    result: {
      payment_preimage: 'da42515bdd3efbe5e8ef97d758c91471e9c7b30fa3c2d0fc459b4848a292525f',
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
        'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
          payment_preimage: 'da42515bdd3efbe5e8ef97d758c91471e9c7b30fa3c2d0fc459b4848a292525f',
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
        'lnbc20u1p4s94e2sp5qqqqqqqqqq0gfqrtqtjn5qqjpd7ece9wn2g9kqg22vmz7fm3dusspp5ypsnel0sqy3lzx9v7242nxwc2whp4j0252x0v5f0m7ue5gtwlayqdq8vdskkegxqrrsscqpj9qyysgqczlexmruj2h0w2j8n9gqft8e90s2cqw7jtn4zf0m9qqra54fq85kmgy0y355cj7wkter7k4equmu3qxclfu0gyh4q0djx88faglcrtcpdh4pvp',
      payment_preimage: 'da42515bdd3efbe5e8ef97d758c91471e9c7b30fa3c2d0fc459b4848a292525f',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '20613cfdf00123f118acf2aaa999d853ae1ac9eaa28cf6512fdfb99a216eff48',
      payment_preimage: 'da42515bdd3efbe5e8ef97d758c91471e9c7b30fa3c2d0fc459b4848a292525f',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795348266,
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
        'lnbc30u1p4s94e2sp5qqqqqqqqqqkudsrtqtjn5qqjxe8z2lcxv9ejunauw6ahtc42ythqpp5xtz93ggvmhs4qregahavh3gf2pr6n3yytv42wgpcdqn6knpxj3msdqqxqrrsscqpj9qyysgqakqnfejz8kz47yutrxv50zuxqspsmathe0my602lym4frypq4qrz29uu4w0k33mvs3tnkc5unp42xpgt9xnpr6avvknaegpdfayw6kgpvku284',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s94e2sp5qqqqqqqqqqkudsrtqtjn5qqjxe8z2lcxv9ejunauw6ahtc42ythqpp5xtz93ggvmhs4qregahavh3gf2pr6n3yytv42wgpcdqn6knpxj3msdqqxqrrsscqpj9qyysgqakqnfejz8kz47yutrxv50zuxqspsmathe0my602lym4frypq4qrz29uu4w0k33mvs3tnkc5unp42xpgt9xnpr6avvknaegpdfayw6kgpvku284',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '32c458a10cdde1500f28edfacbc5095047a9c4845b2aa720386827ab4c269477',
      created_at: 1795348266.442,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '09f0cfdf5e1ce19c3b59e9b51a9176beec585459e4f3bd514fbac86742976912',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
          status: 'complete',
          created_at: 1795348265,
          completed_at: 1795348265,
          label: 'tea',
          preimage: '162d25b339d11c7f1f82ac2ec797394b9e571b51a3e9c4562b68defacdc6bccf',
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
    params: { payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795348265,
          completed_at: 1795348265,
          status: 'complete',
          payment_preimage: '162d25b339d11c7f1f82ac2ec797394b9e571b51a3e9c4562b68defacdc6bccf',
          label: 'tea',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499' },
    result: {
      payments: [
        {
          id: '945a707d45b8a9d1a9e159f092ccb508',
          created_index: 2,
          command: 'keysend',
          payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795348265.698,
          completed_at: 1795348265.887,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 12540418354301920296n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 1000000,
              created_at: 1795348265.703,
              completed_at: 1795348265.887,
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
        'lnbc30u1p4s94e2sp5qqqqqqqqqqkudsrtqtjn5qqjxe8z2lcxv9ejunauw6ahtc42ythqpp5xtz93ggvmhs4qregahavh3gf2pr6n3yytv42wgpcdqn6knpxj3msdqqxqrrsscqpj9qyysgqakqnfejz8kz47yutrxv50zuxqspsmathe0my602lym4frypq4qrz29uu4w0k33mvs3tnkc5unp42xpgt9xnpr6avvknaegpdfayw6kgpvku284',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s94e2sp5qqqqqqqqqqkudsrtqtjn5qqjxe8z2lcxv9ejunauw6ahtc42ythqpp5xtz93ggvmhs4qregahavh3gf2pr6n3yytv42wgpcdqn6knpxj3msdqqxqrrsscqpj9qyysgqakqnfejz8kz47yutrxv50zuxqspsmathe0my602lym4frypq4qrz29uu4w0k33mvs3tnkc5unp42xpgt9xnpr6avvknaegpdfayw6kgpvku284',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '32c458a10cdde1500f28edfacbc5095047a9c4845b2aa720386827ab4c269477',
          status: 'complete',
          seed: 14582552334374594418n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-22T11:51:06.455Z',
              age_in_seconds: 0,
              end_time: '2026-11-22T11:51:06.618Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '09f0cfdf5e1ce19c3b59e9b51a9176beec585459e4f3bd514fbac86742976912',
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
          created_at: 1795348265.703,
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
      payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '393d8ea457c035048522639493b73d7cb1d48d99fb062bfd1e2716a42f61c499',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795348265,
          completed_at: 1795348265,
          status: 'complete',
          payment_preimage: '162d25b339d11c7f1f82ac2ec797394b9e571b51a3e9c4562b68defacdc6bccf',
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
      offer_id: '29f5670b78457b6e96a6da360928f9e51bb616a8c04cb2cc2ac58b8b1b80703b',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxna22fxg8q5rv2ppf5rn2n39w5ew9mlp86jm6fdfpk90wekkc9xdqgpwz363teczfseuyua8h6u6wew9wcs8z0w0mlf2mqe9jclj4alkhzgqx0adclr4s75srtdcwgpv7t8araz8gwpnx8u9hc5vyvwysdzh9d783z4fl0lcyxzgjsk8zt4he0vmgtm0gglqxteqrva5hmdhwky3m6mkn3w8r29vm53k9vmvc3h6ngc756jf7t9xqqefz482sh3zuyxpjyvukm7xl0a5w0zp8adzlsffn730g3ag48j6x6uuddkdw7slcu4jjfcdv6vrcqdrydjpvggzd8yffr60afs7nt4vlt9var67vd9xwfx9y6tl3ram228ex43mtn0q',
      force_paths: false,
      used: false,
      label: 'morning',
      created: true,
      warning_no_payments:
        'This network delivers no payments to us: requests for the offer are answered with that error.',
      simulated: true,
    },
  },
  {
    command: 'listoffers',
    params: {},
    result: {
      offers: [
        {
          offer_id: '29f5670b78457b6e96a6da360928f9e51bb616a8c04cb2cc2ac58b8b1b80703b',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxna22fxg8q5rv2ppf5rn2n39w5ew9mlp86jm6fdfpk90wekkc9xdqgpwz363teczfseuyua8h6u6wew9wcs8z0w0mlf2mqe9jclj4alkhzgqx0adclr4s75srtdcwgpv7t8araz8gwpnx8u9hc5vyvwysdzh9d783z4fl0lcyxzgjsk8zt4he0vmgtm0gglqxteqrva5hmdhwky3m6mkn3w8r29vm53k9vmvc3h6ngc756jf7t9xqqefz482sh3zuyxpjyvukm7xl0a5w0zp8adzlsffn730g3ag48j6x6uuddkdw7slcu4jjfcdv6vrcqdrydjpvggzd8yffr60afs7nt4vlt9var67vd9xwfx9y6tl3ram228ex43mtn0q',
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
    params: { offer_id: '29f5670b78457b6e96a6da360928f9e51bb616a8c04cb2cc2ac58b8b1b80703b' },
    result: {
      offer_id: '29f5670b78457b6e96a6da360928f9e51bb616a8c04cb2cc2ac58b8b1b80703b',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqxna22fxg8q5rv2ppf5rn2n39w5ew9mlp86jm6fdfpk90wekkc9xdqgpwz363teczfseuyua8h6u6wew9wcs8z0w0mlf2mqe9jclj4alkhzgqx0adclr4s75srtdcwgpv7t8araz8gwpnx8u9hc5vyvwysdzh9d783z4fl0lcyxzgjsk8zt4he0vmgtm0gglqxteqrva5hmdhwky3m6mkn3w8r29vm53k9vmvc3h6ngc756jf7t9xqqefz482sh3zuyxpjyvukm7xl0a5w0zp8adzlsffn730g3ag48j6x6uuddkdw7slcu4jjfcdv6vrcqdrydjpvggzd8yffr60afs7nt4vlt9var67vd9xwfx9y6tl3ram228ex43mtn0q',
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
      invreq_id: 'ad2a782bc38b60fdc2a59e7371c055a9ab021a6dd1e8843c576275dc8ff64c84',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqg20s6769qnnu9v026l4v6hysgvgzsxwfjkvatwv3fqyyugtqssy6wgjj85l6npaxh2e7k2e684uc62vujv2f5hlz8mk550jdtrkhx7tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfakh08kyw8n3gdjn9e4r0zkd593z0lpylee3utk8xl6wwy0plnkgqsrjddf8ma9ynf2w4jm0smmdl7kz9physdutzp2numkpvswjhw7tn5sqv7crnpy05mkauv0n3lpvje5j8ah638ugq8qwax4sedtdwcgsckf6g88k6ywlksql6he0t87tpfe5eu0dqp7qdzdz6f9w8udx9c0l4gezy6r94s7xfwcusa9ckftk3f64f5y3z8cxqpjzt6e2ukacyt5h7hwvewvf99g3fjvtd692h9attyrgvfk4xrd4zrqgerxdzstzd5zyqw8caku34dzptcf7pq0je0k2yjc0cg2xm0a3z29wx843mjzfsfgc6cwn730yhlhtfn8glka4pquz0a54ynta0w900gh7xx6kvqfm4cqj75mt2zj4zh2wutzms',
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
          invreq_id: 'ad2a782bc38b60fdc2a59e7371c055a9ab021a6dd1e8843c576275dc8ff64c84',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqg20s6769qnnu9v026l4v6hysgvgzsxwfjkvatwv3fqyyugtqssy6wgjj85l6npaxh2e7k2e684uc62vujv2f5hlz8mk550jdtrkhx7tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfakh08kyw8n3gdjn9e4r0zkd593z0lpylee3utk8xl6wwy0plnkgqsrjddf8ma9ynf2w4jm0smmdl7kz9physdutzp2numkpvswjhw7tn5sqv7crnpy05mkauv0n3lpvje5j8ah638ugq8qwax4sedtdwcgsckf6g88k6ywlksql6he0t87tpfe5eu0dqp7qdzdz6f9w8udx9c0l4gezy6r94s7xfwcusa9ckftk3f64f5y3z8cxqpjzt6e2ukacyt5h7hwvewvf99g3fjvtd692h9attyrgvfk4xrd4zrqgerxdzstzd5zyqw8caku34dzptcf7pq0je0k2yjc0cg2xm0a3z29wx843mjzfsfgc6cwn730yhlhtfn8glka4pquz0a54ynta0w900gh7xx6kvqfm4cqj75mt2zj4zh2wutzms',
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
    params: { invreq_id: 'ad2a782bc38b60fdc2a59e7371c055a9ab021a6dd1e8843c576275dc8ff64c84' },
    result: {
      invreq_id: 'ad2a782bc38b60fdc2a59e7371c055a9ab021a6dd1e8843c576275dc8ff64c84',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqg20s6769qnnu9v026l4v6hysgvgzsxwfjkvatwv3fqyyugtqssy6wgjj85l6npaxh2e7k2e684uc62vujv2f5hlz8mk550jdtrkhx7tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfakh08kyw8n3gdjn9e4r0zkd593z0lpylee3utk8xl6wwy0plnkgqsrjddf8ma9ynf2w4jm0smmdl7kz9physdutzp2numkpvswjhw7tn5sqv7crnpy05mkauv0n3lpvje5j8ah638ugq8qwax4sedtdwcgsckf6g88k6ywlksql6he0t87tpfe5eu0dqp7qdzdz6f9w8udx9c0l4gezy6r94s7xfwcusa9ckftk3f64f5y3z8cxqpjzt6e2ukacyt5h7hwvewvf99g3fjvtd692h9attyrgvfk4xrd4zrqgerxdzstzd5zyqw8caku34dzptcf7pq0je0k2yjc0cg2xm0a3z29wx843mjzfsfgc6cwn730yhlhtfn8glka4pquz0a54ynta0w900gh7xx6kvqfm4cqj75mt2zj4zh2wutzms',
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
        'lni1qqgpnhse5j4z6hh65h8a9kth4nyrszqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyphvktstmtgqaz7au45yn8e2t7k04k8p44phnhcx7yy5ccpvtyxladql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpx8rrz8vzepzja66k8y3268wju0nw5tt9vq0rwr9mf3hmjkkf3k5gr…',
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
        'lni1qqs2qhe542a5dmzzpec7drhnpr3gww7zlkrjdsqzjr9sg559ernsqpqgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq6khq7gh6ms4s4dkqug4pzc36askd0ss2zy8fqp22g29asvdaslu6s06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zq37zh5aelsvwk589jn6d8nhtdzg9gmz7pjha5vca560…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1795953067,
          endtime: 1796557866,
          paywindow_start: 1795348267,
          paywindow_end: 1796557866,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1795953067,
        endtime: 1796557866,
        paywindow_start: 1795348267,
        paywindow_end: 1796557866,
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
        'lnr1qqs2qhe542a5dmzzpec7drhnpr3gww7zlkrjdsqzjr9sg559ernsqpqgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq6khq7gh6ms4s4dkqug4pzc36askd0ss2zy8fqp22g29asvdaslumcypys8kuucgcsnxr8c24zvsmxuuhjs6e3um3pqwsah5xxdsnp28tp7vz6cep7nghzkl2dlm8ewgng8m4sap3846ewngp9uwfw2nr322zhluwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795348266.901,
          took_ms: 147,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 5,
              took_ms: 142,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgpnhse5j4z6hh65h8a9kth4nyrszqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyphvktstmtgqaz7au45yn8e2t7k04k8p44phnhcx7yy5ccpvtyxladql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpx8rrz8vzepzja66k8y3268wju0nw5tt9vq0rwr9mf3hmjkkf3k5gr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795348266,
            expires_at: 1795355466,
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
      rune: '7jfshUSCMAAq8XZcxsuxsE3nUwa6L7bqeZCgAw59azI9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: '7jfshUSCMAAq8XZcxsuxsE3nUwa6L7bqeZCgAw59azI9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: '7jfshUSCMAAq8XZcxsuxsE3nUwa6L7bqeZCgAw59azI9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: '7jfshUSCMAAq8XZcxsuxsE3nUwa6L7bqeZCgAw59azI9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795348267.559,
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
      rune: 'GjwuzA65fcfNna9h4RvVjdzxiQ2Gd5oiJ9ufalmRLcc9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795348262.654000000', bytes_used: 0, bytes_max: 1000000, log: [] },
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
      url: 'http://127.0.0.1:33391/ui/#rune=-zNw8aX3KHON6gEVoaaDBopOQQ7iNieHjWvaqjHFlQo9MiZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1hc2tyZW5lLWxpc3RsYXllcnN8bWV0aG9kPWFza3JlbmUtZGlmZmxheWVyc3xtZXRob2Q9YXNrcmVuZS1saXN0cmVzZXJ2YXRpb25zfG1ldGhvZD1kZWNvZGV8bWV0aG9kPWhlbHB8bWV0aG9kPXBheXN0YXR1c3xtZXRob2Q9cGxhbmtleXNlbmR8bWV0aG9kPXBsYW54cGF5fG1ldGhvZD1ycGMuZGlzY292ZXImbWV0aG9kL2xpc3RkYXRhc3RvcmUmdGltZTwxNzk3OTQwMjY3',
      unique_id: '2',
      valid_until: 1797940267,
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
              'x-name': 'storeFailed',
              'x-remedy':
                'Free disk space or repair the disk; what was changed meanwhile is written with the next change.',
              'x-retryable': false,
              'x-http-status': 500,
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
