import type {
  AttemptOutcome,
  CampaignPlan,
  AttemptClaim,
  PlannedContact,
  ContactState,
  Instant,
  OpenAttemptState,
} from '../plan/campaign';
import { Heap } from './virtual-time';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An attempt in progress. */
export interface OpenAttempt extends Writable<AttemptClaim> {
  state: OpenAttemptState;
  claimedAt: Instant;
  placedAt: Instant | undefined;
  isAnswered: boolean;
  /** How often the organization had narrowed its hours by the time it was claimed. */
  narrowings: number;
}

interface Due {
  readonly contactId: number;
  readonly dueAt: Instant;
}

/** One campaign in memory. */
export interface StoredCampaign {
  campaign: CampaignPlan;
  pausedSays: string | undefined;
  readonly contacts: Map<number, PlannedContact>;
  /** Queues by region, for booked and other calls. Entries are stale if their contact no longer waits for that instant. */
  readonly booked: Map<string, Heap<Due>>;
  readonly due: Map<string, Heap<Due>>;
  readonly counts: Record<ContactState, number>;
  /** The number of waiting contacts by region. */
  readonly waiting: Map<string, number>;
  readonly outcomes: Record<AttemptOutcome, number>;
  pending: number;
  ringing: number;
  talking: number;
  /** When calls were placed, in order, covering at least the last minute. */
  placedAt: Instant[];
  creditsSpent: number;
  recent: AttemptOutcome[];
}

const soonest = (one: Due, other: Due): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.contactId < other.contactId);

/** Inserts in order, since the reply about a call may arrive after those about later ones. */
export function notePlaced({ placedAt }: StoredCampaign, at: Instant): void {
  const before = placedAt.findLastIndex((other) => other <= at);
  placedAt.splice(before + 1, 0, at);
}

export function phaseOf({ state, isAnswered }: OpenAttempt): 'pending' | 'ringing' | 'talking' {
  if (isAnswered) return 'talking';
  return state === 'PLACED' ? 'ringing' : 'pending';
}

export function contactOf({ contacts }: Pick<StoredCampaign, 'contacts'>, id: number): PlannedContact {
  const contact = contacts.get(id);
  if (!contact) throw new Error(`there is no contact ${id}`);
  return contact;
}

/** Adds or subtracts a contact in the counts by state. */
export function count(
  { counts, waiting }: Pick<StoredCampaign, 'counts' | 'waiting'>,
  { state, region }: PlannedContact,
  by: 1 | -1,
): void {
  counts[state] += by;
  if (state === 'WAITING') waiting.set(region, (waiting.get(region) ?? 0) + by);
}

export function enqueue(stored: StoredCampaign, { id: contactId, region, dueAt, isBooked }: PlannedContact): void {
  const queues = isBooked ? stored.booked : stored.due;
  const queue = queues.get(region) ?? new Heap(soonest);
  queues.set(region, queue);
  queue.push({ contactId, dueAt });
}

/** Takes the contact that is longest due in some regions out of the queues. */
export function takeDue(
  stored: StoredCampaign,
  queues: Map<string, Heap<Due>>,
  regions: readonly string[],
  now: Instant,
): PlannedContact | undefined {
  let best: Heap<Due> | undefined;
  for (const region of regions) {
    const queue = queues.get(region);
    while (queue?.first && isStale(stored, queue.first)) queue.pop();
    if (!queue?.first || queue.first.dueAt > now) continue;
    if (!best?.first || soonest(queue.first, best.first)) best = queue;
  }
  const due = best?.pop();
  return due && contactOf(stored, due.contactId);
}

function isStale(stored: StoredCampaign, { contactId, dueAt }: Due): boolean {
  const contact = contactOf(stored, contactId);
  return contact.state !== 'WAITING' || contact.dueAt !== dueAt;
}
