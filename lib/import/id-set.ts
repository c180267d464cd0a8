const PAGE_BITS = 16;
const PAGE_SIZE = 2 ** PAGE_BITS;

/** A set of ids that needs a bit for each, where they are close together. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const number = Math.floor(id / PAGE_SIZE);
    const page = this.#pages.get(number) ?? new Uint8Array(PAGE_SIZE / 8);
    this.#pages.set(number, page);
    const at = id % PAGE_SIZE;
    page[at >> 3] = (page[at >> 3] ?? 0) | (1 << (at & 7));
  }

  has(id: number): boolean {
    const page = this.#pages.get(Math.floor(id / PAGE_SIZE));
    const at = id % PAGE_SIZE;
    return ((page?.[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }
}
