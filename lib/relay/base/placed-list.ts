/** What knows its place in its list; -1 = it is in none. Only this file writes it. */
export type Placed = { place: number };

/** Adds and removes in constant time, in no order. A Set builds its table anew again and again, which costs microseconds for each request. */
export class PlacedList<Item extends Placed> {
  readonly items: Item[] = [];

  add(item: Item): void {
    item.place = this.items.push(item) - 1;
  }

  /** The last one takes its place. Does nothing for what is not in the list. */
  remove(item: Item): void {
    const { place } = item;
    if (place === -1) return;
    item.place = -1;
    const last = this.items.pop();
    if (!last || last === item) return;
    this.items[place] = last;
    last.place = place;
  }
}
