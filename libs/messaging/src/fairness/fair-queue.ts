import { AsyncResource } from 'node:async_hooks';

interface QueuedItem<Item> {
  readonly item: Item;
  readonly queue: OrganizationQueue<Item>;
  readonly isKept: boolean;
}

/** The waiting items of one organization. */
interface OrganizationQueue<Item> {
  readonly organization: unknown;
  readonly waiting: Chain<QueuedItem<Item>>;
  /** Its position among the waiting organizations. */
  turn: Link<OrganizationQueue<Item>> | undefined;
  /** How many of its items may be dropped. */
  fresh: number;
}

/**
 * A bounded queue in which organizations take turns, however many items each has waiting; within one, first in, first out. When
 * it is full, the organization with the most items makes room for one with fewer. Every operation takes constant time.
 */
export class FairQueue<Item> {
  private places = new Map<Item, Link<QueuedItem<Item>>>();
  private queues = new Map<unknown, OrganizationQueue<Item>>();
  private readonly turns = new Chain<OrganizationQueue<Item>>();
  private longest = new Longest<OrganizationQueue<Item>>();

  constructor(private readonly max: number) {}

  get size(): number {
    return this.places.size;
  }

  /**
   * Appends an item to those of its organization. If the queue is full, an item is dropped and returned: the newest of the
   * organization with the most, which may be the new one itself.
   */
  push(organization: unknown, item: Item): Item | undefined {
    this.append(organization, item, false);
    if (this.size <= this.max) return undefined;
    const youngest = youngestOf(this.longest.one());
    if (youngest !== undefined) this.remove(youngest);
    return youngest;
  }

  /** The same for an item that must not be dropped, even if the queue is full. */
  keep(organization: unknown, item: Item): void {
    this.append(organization, item, true);
  }

  /** The next item: the oldest of the organization whose turn it is. An organization that may not go now keeps its turn. */
  shift(mayCome: (organization: unknown, first: Item) => boolean = () => true): Item | undefined {
    for (const queue of this.turns) {
      const first = queue.waiting.first;
      if (!first || !mayCome(queue.organization, first.value.item)) continue;
      this.leave(first);
      // Moves behind the others if it has more items waiting.
      if (queue.turn) this.turns.drop(queue.turn);
      queue.turn = queue.waiting.first && this.turns.add(queue);
      return first.value.item;
    }
    return undefined;
  }

  /** All waiting items, without copying: nothing may be added meanwhile. */
  *values(): Generator<Item> {
    for (const item of this.places.keys()) yield item;
  }

  /** Removes an item that no longer waits. Returns whether it was in the queue. */
  remove(item: Item): boolean {
    const place = this.places.get(item);
    if (!place) return false;
    const { queue } = place.value;
    this.leave(place);
    if (!queue.waiting.first && queue.turn) this.turns.drop(queue.turn);
    return true;
  }

  private append(organization: unknown, item: Item, isKept: boolean): void {
    const queue = this.queueOf(organization);
    this.places.set(item, queue.waiting.add({ item, queue, isKept }));
    if (!isKept) this.longest.move(queue, queue.fresh, ++queue.fresh);
  }

  private queueOf(organization: unknown): OrganizationQueue<Item> {
    const known = this.queues.get(organization);
    if (known) return known;
    const queue: OrganizationQueue<Item> = { organization, waiting: new Chain(), turn: undefined, fresh: 0 };
    queue.turn = this.turns.add(queue);
    this.queues.set(organization, queue);
    return queue;
  }

  /** Removes an item from its organization's queue, and that queue once empty. The caller handles its turn. */
  private leave(place: Link<QueuedItem<Item>>): void {
    const { item, queue, isKept } = place.value;
    this.places.delete(item);
    queue.waiting.drop(place);
    if (!isKept) this.longest.move(queue, queue.fresh, --queue.fresh);
    if (!queue.waiting.first) this.queues.delete(queue.organization);
    if (this.places.size === 0) this.renew();
  }

  /** Maps whose entries come and go keep garbage alive (see `Addressed`), so they are replaced whenever they are empty. */
  private renew(): void {
    this.places = new Map();
    this.queues = new Map();
    this.longest = new Longest();
  }
}

/** The newest item that may be dropped. Few items must be kept, so the search is short. */
function youngestOf<Item>(queue: OrganizationQueue<Item> | undefined): Item | undefined {
  let place = queue?.waiting.last;
  while (place?.value.isKept) place = place.before;
  return place?.value.item;
}

/** Tracks which of many has the highest count, where each count changes by one at a time. */
class Longest<Counted> {
  private readonly byCount = new Map<number, Set<Counted>>();
  private most = 0;

  one(): Counted | undefined {
    const [one] = this.byCount.get(this.most) ?? [];
    return one;
  }

  move(counted: Counted, from: number, to: number): void {
    const before = this.byCount.get(from);
    before?.delete(counted);
    if (before?.size === 0) this.byCount.delete(from);
    if (to > 0) this.byCount.set(to, (this.byCount.get(to) ?? new Set<Counted>()).add(counted));
    if (to > this.most || !this.byCount.has(this.most)) this.most = to;
  }
}

/** A link in a chain. Keeping it allows removal without a search. */
export interface Link<Value> {
  readonly value: Value;
  before: Link<Value> | undefined;
  after: Link<Value> | undefined;
}

/** An ordered list with constant-time append, removal anywhere, and access to both ends. */
export class Chain<Value> implements Iterable<Value> {
  private head: Link<Value> | undefined;
  private tail: Link<Value> | undefined;

  get first(): Link<Value> | undefined {
    return this.head;
  }

  get last(): Link<Value> | undefined {
    return this.tail;
  }

  /** Appends a value. */
  add(value: Value): Link<Value> {
    const link: Link<Value> = { value, before: this.tail, after: undefined };
    if (this.tail) this.tail.after = link;
    else this.head = link;
    this.tail = link;
    return link;
  }

  /** Removes a link of this chain. Must be called only once per link. */
  drop(link: Link<Value>): void {
    const { before, after } = link;
    if (before) before.after = after;
    else this.head = after;
    if (after) after.before = before;
    else this.tail = before;
    // A dropped link in V8's old generation would keep everything alive that came after it.
    link.before = undefined;
    link.after = undefined;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let link = this.head; link; link = link.after) yield link.value;
  }
}

/**
 * Runs deferred work in its own async context, not in that of the previous item. Node's own `bind` defines deprecated properties
 * on each function that it creates.
 */
function inThisContext(begin: () => void): () => void {
  const context = new AsyncResource('Turn');
  return () => context.runInAsyncScope(begin);
}

/** Work that starts when its turn comes, or is refused if the queue is full. Neither may throw. */
interface Beginning {
  begin(): void;
  refuse(): void;
}

/** How much work starts in one turn of the event loop. The rest waits until the loop has handled everything else once. */
const atOnceMax = 8;
/** If what starts takes long, less is started. */
const atOnceMsMax = 10;

/**
 * Starts work in turns by organization, a little in each turn of the event loop: if a thousand requests of one organization
 * arrive together, another's next request starts second, not last. While there is little work, it starts at once. Started work is
 * not counted, because it spends most of its time waiting.
 */
export class StartQueue {
  private readonly queue: FairQueue<Beginning>;
  private begun = 0;

  constructor(waitingMax: number) {
    this.queue = new FairQueue(waitingMax);
  }

  /** The number of waiting items. */
  get waiting(): number {
    return this.queue.size;
  }

  take(organization: unknown, { begin, refuse }: Beginning): void {
    if (this.begun < atOnceMax && this.queue.size === 0) this.begin(begin);
    else this.queue.push(organization, { begin: inThisContext(begin), refuse })?.refuse();
  }

  private begin(begin: () => void): void {
    if (this.begun === 0) setImmediate(() => this.goOn());
    this.begun += 1;
    begin();
  }

  private goOn(): void {
    this.begun = 0;
    const endMs = performance.now() + atOnceMsMax;
    while (this.begun < atOnceMax && (this.begun === 0 || performance.now() < endMs)) {
      const next = this.queue.shift();
      if (!next) return;
      this.begin(next.begin);
    }
  }
}
