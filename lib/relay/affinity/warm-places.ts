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

/** How many conversations a process keeps at most, in some 1.5 MB. */
const PLACES_MAX = 10_000;

/**
 * Where the prompts of conversations are cached, as far as this process has seen it. Those that were answered last are
 * kept, in two generations: when the younger is full, it becomes the older one, and what was that is forgotten.
 */
export class WarmPlaces {
  private young = new Map<number, WarmPlace>();
  private old = new Map<number, WarmPlace>();
  private readonly youngMax: number;

  constructor(max = PLACES_MAX) {
    this.youngMax = Math.ceil(max / 2);
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  /** Null = unknown, or answered more than `forMs` ago. */
  find(key: number, now: number, forMs: number): WarmPlace | null {
    const place = this.young.get(key) ?? this.old.get(key);
    return place && now - place.at < forMs ? place : null;
  }

  remember(key: number, place: WarmPlace): void {
    if (this.young.size >= this.youngMax && !this.young.has(key)) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, place);
  }

  forget(key: number): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
