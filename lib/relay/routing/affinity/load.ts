/** With fewer requests in flight, nothing is crowded. */
const CROWD_MIN = 8;
/** How much more than its share of the requests in flight a place may have. */
const CROWD_FACTOR = 1.5;

/** How many requests of known conversations are in flight at each channel, or key, in this process. */
export class Load {
  private readonly inFlight = new Map<number, number>();

  enter(id: number): void {
    this.inFlight.set(id, this.at(id) + 1);
  }

  leave(id: number): void {
    const left = this.at(id) - 1;
    if (left > 0) this.inFlight.set(id, left);
    else this.inFlight.delete(id);
  }

  /** Those that may take one more: at least one of them, because all shares together are more than the whole. */
  withRoom<Place extends { readonly id: number }>(
    places: readonly Place[],
    shareOf: (place: Place) => number,
  ): readonly Place[] {
    let requests = 1;
    let shares = 0;
    let isBusy = false;
    for (const place of places) {
      const count = this.at(place.id);
      requests += count;
      shares += shareOf(place);
      isBusy ||= count >= CROWD_MIN;
    }
    if (!isBusy) return places;
    const each = (CROWD_FACTOR * requests) / shares;
    return places.filter((place) => {
      const count = this.at(place.id);
      return count < CROWD_MIN || count + 1 <= each * shareOf(place);
    });
  }

  private at(id: number): number {
    return this.inFlight.get(id) ?? 0;
  }
}
