/**
 * All that an instance keeps, in one record with named parts. No module has a variable of its own, except that
 * index.ts holds the address of this record.
 *
 * A function takes the part that it needs, or the workspace where it needs several. Each part is declared beside the
 * functions that own it. The parts are adjacent in memory, so reading a field of a part takes a single load, as reading
 * a variable would. The parts that inner loops use come first.
 */
import { Arena, takePages } from './graph/arena';
import { Region } from './graph/region';
import { CreatedChannels } from './overlay/created-channels';
import { CreatedNodes } from './overlay/created-nodes';
import { Entries } from './overlay/entries';
import { ChangedKeys } from './overlay/kept-stacks';
import { LayerLogs } from './overlay/layer-log';
import { CellTable } from './overlay/layers';
import { Links } from './overlay/links';
import { ClearedKeys } from './overlay/overlay';
import { Overridden } from './overlay/overridden';
import { OverrideTable } from './overlay/recompute';
import { Heap, Scratch } from './overlay/scratch';
import { Shelves } from './overlay/shelves';
import { Stack } from './overlay/stack';
import { Question, Verdict } from './record';
import { Decision } from './solve/answer';
import { Shortage } from './solve/flow/construct';
import { Flow } from './solve/flow/flow';
import { Growth } from './solve/flow/growth';
import { Lanes } from './solve/flow/lanes';
import { PartSets } from './solve/flow/parts';
import { Repeat } from './solve/improve/repeat';
import { Ahead } from './solve/path/ahead';
import { Blocks } from './solve/path/blocks';
import { Bounds } from './solve/path/bounds';
import { Exploration } from './solve/path/explore';
import { KeptTree } from './solve/path/kept-tree';
import { Labelling } from './solve/path/labels';
import { LimitPrices } from './solve/path/limits';
import { Recent } from './solve/path/recent';
import { Search } from './solve/path/search';
import { PriceSearch } from './solve/prove/least-price';
import { Packing } from './solve/prove/packing';
import { DelaysLeft } from './solve/prove/quick';
import { Raising } from './solve/prove/raise';
import { Refutation } from './solve/prove/refute';
import { WholeProof } from './solve/prove/whole';
import { WideSearch } from './solve/prove/wide';
import { Effort } from './solve/question/effort';
import { Prices } from './solve/question/prices';
import { Findings } from './solve/question/question';
import { Task } from './solve/question/task';

const GRAPH_AT: usize = 0;
const SCRATCH_AT: usize = (GRAPH_AT + offsetof<Region>() + 7) & ~7;
const HEAP_AT: usize = (SCRATCH_AT + offsetof<Scratch>() + 7) & ~7;
const PRICES_AT: usize = (HEAP_AT + offsetof<Heap>() + 7) & ~7;
const SEARCH_AT: usize = (PRICES_AT + offsetof<Prices>() + 7) & ~7;
const QUESTION_AT: usize = (SEARCH_AT + offsetof<Search>() + 7) & ~7;
const FINDINGS_AT: usize = (QUESTION_AT + offsetof<Question>() + 7) & ~7;
const EFFORT_AT: usize = (FINDINGS_AT + offsetof<Findings>() + 7) & ~7;
const AHEAD_AT: usize = (EFFORT_AT + offsetof<Effort>() + 7) & ~7;
const KEPT_AT: usize = (AHEAD_AT + offsetof<Ahead>() + 7) & ~7;
const BLOCKS_AT: usize = (KEPT_AT + offsetof<KeptTree>() + 7) & ~7;
const BOUNDS_AT: usize = (BLOCKS_AT + offsetof<Blocks>() + 7) & ~7;
const LABELLING_AT: usize = (BOUNDS_AT + offsetof<Bounds>() + 7) & ~7;
const LIMITS_AT: usize = (LABELLING_AT + offsetof<Labelling>() + 7) & ~7;
const RECENT_AT: usize = (LIMITS_AT + offsetof<LimitPrices>() + 7) & ~7;
const EXPLORED_AT: usize = (RECENT_AT + offsetof<Recent>() + 7) & ~7;
const FLOW_AT: usize = (EXPLORED_AT + offsetof<Exploration>() + 7) & ~7;
const GROWTH_AT: usize = (FLOW_AT + offsetof<Flow>() + 7) & ~7;
const PARTS_AT: usize = (GROWTH_AT + offsetof<Growth>() + 7) & ~7;
const LANES_AT: usize = (PARTS_AT + offsetof<PartSets>() + 7) & ~7;
const REPEAT_AT: usize = (LANES_AT + offsetof<Lanes>() + 7) & ~7;
const SHORTAGE_AT: usize = (REPEAT_AT + offsetof<Repeat>() + 7) & ~7;
const REFUTATION_AT: usize = (SHORTAGE_AT + offsetof<Shortage>() + 7) & ~7;
const RAISING_AT: usize = (REFUTATION_AT + offsetof<Refutation>() + 7) & ~7;
const PACKING_AT: usize = (RAISING_AT + offsetof<Raising>() + 7) & ~7;
const WHOLE_PROOF_AT: usize = (PACKING_AT + offsetof<Packing>() + 7) & ~7;
const WIDE_AT: usize = (WHOLE_PROOF_AT + offsetof<WholeProof>() + 7) & ~7;
const PRICE_SEARCH_AT: usize = (WIDE_AT + offsetof<WideSearch>() + 7) & ~7;
const DELAYS_LEFT_AT: usize = (PRICE_SEARCH_AT + offsetof<PriceSearch>() + 7) & ~7;
const VERDICT_AT: usize = (DELAYS_LEFT_AT + offsetof<DelaysLeft>() + 7) & ~7;
const DECISION_AT: usize = (VERDICT_AT + offsetof<Verdict>() + 7) & ~7;
const TASK_AT: usize = (DECISION_AT + offsetof<Decision>() + 7) & ~7;
const ARENA_AT: usize = (TASK_AT + offsetof<Task>() + 7) & ~7;
const ENTRIES_AT: usize = (ARENA_AT + offsetof<Arena>() + 7) & ~7;
const CELLS_AT: usize = (ENTRIES_AT + offsetof<Entries>() + 7) & ~7;
const LOGS_AT: usize = (CELLS_AT + offsetof<CellTable>() + 7) & ~7;
const STACK_AT: usize = (LOGS_AT + offsetof<LayerLogs>() + 7) & ~7;
const OVERRIDDEN_AT: usize = (STACK_AT + offsetof<Stack>() + 7) & ~7;
const PLACES_AT: usize = (OVERRIDDEN_AT + offsetof<Overridden>() + 7) & ~7;
const LINKS_AT: usize = (PLACES_AT + offsetof<OverrideTable>() + 7) & ~7;
const CREATED_AT: usize = (LINKS_AT + offsetof<Links>() + 7) & ~7;
const CREATED_NODES_AT: usize = (CREATED_AT + offsetof<CreatedChannels>() + 7) & ~7;
const SHELVES_AT: usize = (CREATED_NODES_AT + offsetof<CreatedNodes>() + 7) & ~7;
const CHANGED_KEYS_AT: usize = (SHELVES_AT + offsetof<Shelves>() + 7) & ~7;
const CLEARED_KEYS_AT: usize = (CHANGED_KEYS_AT + offsetof<ChangedKeys>() + 7) & ~7;
const WORKSPACE_BYTES: usize = CLEARED_KEYS_AT + offsetof<ClearedKeys>();

/** All state of an instance, by part. */
@unmanaged
export class Workspace {
  @inline
  get graph(): Region {
    return changetype<Region>(changetype<usize>(this) + GRAPH_AT);
  }

  @inline
  get scratch(): Scratch {
    return changetype<Scratch>(changetype<usize>(this) + SCRATCH_AT);
  }

  @inline
  get heap(): Heap {
    return changetype<Heap>(changetype<usize>(this) + HEAP_AT);
  }

  @inline
  get prices(): Prices {
    return changetype<Prices>(changetype<usize>(this) + PRICES_AT);
  }

  @inline
  get search(): Search {
    return changetype<Search>(changetype<usize>(this) + SEARCH_AT);
  }

  @inline
  get question(): Question {
    return changetype<Question>(changetype<usize>(this) + QUESTION_AT);
  }

  @inline
  get findings(): Findings {
    return changetype<Findings>(changetype<usize>(this) + FINDINGS_AT);
  }

  @inline
  get effort(): Effort {
    return changetype<Effort>(changetype<usize>(this) + EFFORT_AT);
  }

  @inline
  get ahead(): Ahead {
    return changetype<Ahead>(changetype<usize>(this) + AHEAD_AT);
  }

  @inline
  get kept(): KeptTree {
    return changetype<KeptTree>(changetype<usize>(this) + KEPT_AT);
  }

  @inline
  get blocks(): Blocks {
    return changetype<Blocks>(changetype<usize>(this) + BLOCKS_AT);
  }

  @inline
  get bounds(): Bounds {
    return changetype<Bounds>(changetype<usize>(this) + BOUNDS_AT);
  }

  @inline
  get labelling(): Labelling {
    return changetype<Labelling>(changetype<usize>(this) + LABELLING_AT);
  }

  @inline
  get limits(): LimitPrices {
    return changetype<LimitPrices>(changetype<usize>(this) + LIMITS_AT);
  }

  @inline
  get recent(): Recent {
    return changetype<Recent>(changetype<usize>(this) + RECENT_AT);
  }

  @inline
  get explored(): Exploration {
    return changetype<Exploration>(changetype<usize>(this) + EXPLORED_AT);
  }

  @inline
  get flow(): Flow {
    return changetype<Flow>(changetype<usize>(this) + FLOW_AT);
  }

  @inline
  get growth(): Growth {
    return changetype<Growth>(changetype<usize>(this) + GROWTH_AT);
  }

  @inline
  get parts(): PartSets {
    return changetype<PartSets>(changetype<usize>(this) + PARTS_AT);
  }

  @inline
  get lanes(): Lanes {
    return changetype<Lanes>(changetype<usize>(this) + LANES_AT);
  }

  @inline
  get repeat(): Repeat {
    return changetype<Repeat>(changetype<usize>(this) + REPEAT_AT);
  }

  @inline
  get shortage(): Shortage {
    return changetype<Shortage>(changetype<usize>(this) + SHORTAGE_AT);
  }

  @inline
  get refutation(): Refutation {
    return changetype<Refutation>(changetype<usize>(this) + REFUTATION_AT);
  }

  @inline
  get raising(): Raising {
    return changetype<Raising>(changetype<usize>(this) + RAISING_AT);
  }

  @inline
  get packing(): Packing {
    return changetype<Packing>(changetype<usize>(this) + PACKING_AT);
  }

  @inline
  get wholeProof(): WholeProof {
    return changetype<WholeProof>(changetype<usize>(this) + WHOLE_PROOF_AT);
  }

  @inline
  get wide(): WideSearch {
    return changetype<WideSearch>(changetype<usize>(this) + WIDE_AT);
  }

  @inline
  get priceSearch(): PriceSearch {
    return changetype<PriceSearch>(changetype<usize>(this) + PRICE_SEARCH_AT);
  }

  @inline
  get delaysLeft(): DelaysLeft {
    return changetype<DelaysLeft>(changetype<usize>(this) + DELAYS_LEFT_AT);
  }

  @inline
  get verdict(): Verdict {
    return changetype<Verdict>(changetype<usize>(this) + VERDICT_AT);
  }

  @inline
  get decision(): Decision {
    return changetype<Decision>(changetype<usize>(this) + DECISION_AT);
  }

  @inline
  get task(): Task {
    return changetype<Task>(changetype<usize>(this) + TASK_AT);
  }

  @inline
  get arena(): Arena {
    return changetype<Arena>(changetype<usize>(this) + ARENA_AT);
  }

  @inline
  get entries(): Entries {
    return changetype<Entries>(changetype<usize>(this) + ENTRIES_AT);
  }

  @inline
  get cells(): CellTable {
    return changetype<CellTable>(changetype<usize>(this) + CELLS_AT);
  }

  @inline
  get logs(): LayerLogs {
    return changetype<LayerLogs>(changetype<usize>(this) + LOGS_AT);
  }

  @inline
  get stack(): Stack {
    return changetype<Stack>(changetype<usize>(this) + STACK_AT);
  }

  @inline
  get overridden(): Overridden {
    return changetype<Overridden>(changetype<usize>(this) + OVERRIDDEN_AT);
  }

  @inline
  get places(): OverrideTable {
    return changetype<OverrideTable>(changetype<usize>(this) + PLACES_AT);
  }

  @inline
  get links(): Links {
    return changetype<Links>(changetype<usize>(this) + LINKS_AT);
  }

  @inline
  get created(): CreatedChannels {
    return changetype<CreatedChannels>(changetype<usize>(this) + CREATED_AT);
  }

  @inline
  get createdNodes(): CreatedNodes {
    return changetype<CreatedNodes>(changetype<usize>(this) + CREATED_NODES_AT);
  }

  @inline
  get shelves(): Shelves {
    return changetype<Shelves>(changetype<usize>(this) + SHELVES_AT);
  }

  @inline
  get changedKeys(): ChangedKeys {
    return changetype<ChangedKeys>(changetype<usize>(this) + CHANGED_KEYS_AT);
  }

  @inline
  get clearedKeys(): ClearedKeys {
    return changetype<ClearedKeys>(changetype<usize>(this) + CLEARED_KEYS_AT);
  }
}

/** A workspace in fresh memory, without a graph. */
export function newWorkspace(): Workspace {
  const work = changetype<Workspace>(takePages(WORKSPACE_BYTES as u64));
  work.createdNodes.begin();
  work.created.begin();
  work.stack.begin();
  work.shelves.begin();
  work.effort.begin();
  work.prices.begin();
  work.kept.begin();
  work.ahead.begin();
  work.search.begin();
  work.bounds.begin();
  work.labelling.begin();
  work.limits.begin();
  work.findings.begin();
  work.explored.begin();
  work.flow.begin();
  work.refutation.begin();
  return work;
}
