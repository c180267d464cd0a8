import { LRUCache } from "lru-cache";

/** Where a conversation was answered last. */
export type WarmPlace = {
  readonly channelId: number;
  /** 0 = the channel has a single key. */
  readonly keyId: number;
  /** In ms. */
  readonly at: number;
  /** The upstream read a part of the prompt from its cache. */
  readonly hasCached: boolean;
};

/** How many conversations a process keeps at most. */
const PLACES_MAX = 10_000;

/** Where the prompts of conversations are cached, as far as this process has seen it. Those that were answered last are kept. */
export class WarmPlaces {
  private readonly places: LRUCache<number, WarmPlace>;

  constructor(max = PLACES_MAX) {
    this.places = new LRUCache({ max });
  }

  get size(): number {
    return this.places.size;
  }

  /** Null = unknown, or answered more than `forMs` ago. */
  find(key: number, now: number, forMs: number): WarmPlace | null {
    // Only an answer keeps a place, not a look at it.
    const place = this.places.peek(key);
    return place && now - place.at < forMs ? place : null;
  }

  remember(key: number, place: WarmPlace): void {
    this.places.set(key, place);
  }

  forget(key: number): void {
    this.places.delete(key);
  }
}
