import type { ArchiveRow } from "./columns";
import type { Manifest } from "./manifest";
import { readMerged } from "./read-rows";
import type { ArchiveStorage } from "./storage";

/** Of rows in the order of time and id, within [from, until), those that none of the archives has. */
export async function* withoutArchived(
  storage: ArchiveStorage,
  manifests: readonly Manifest[],
  range: { from: number; until: number },
  batches: AsyncIterable<readonly ArchiveRow[]>,
): AsyncGenerator<ArchiveRow[]> {
  const archived = readMerged(storage, manifests, range);
  let next = await archived.next();
  /** The archived rows of the time and id at which `next` has arrived: an id may be that of another request. */
  let here: { place: string; requests: Set<unknown> } = { place: "", requests: new Set() };
  try {
    for await (const rows of batches) {
      const missing: ArchiveRow[] = [];
      for (const row of rows) {
        while (!next.done && comparePlaces(next.value, row) <= 0) {
          const place = placeOf(next.value);
          if (here.place !== place) here = { place, requests: new Set() };
          here.requests.add(next.value.request_id);
          next = await archived.next();
        }
        if (here.place !== placeOf(row) || !here.requests.has(row.request_id)) missing.push(row);
      }
      if (missing.length > 0) yield missing;
    }
  } finally {
    await archived.return(undefined);
  }
}

const placeOf = ({ created_at, id }: ArchiveRow): string => `${created_at} ${id}`;

function comparePlaces(a: ArchiveRow, b: ArchiveRow): number {
  return Number(a.created_at) - Number(b.created_at) || Number(a.id) - Number(b.id);
}
